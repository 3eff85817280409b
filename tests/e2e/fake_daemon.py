"""A daemon made of recorded documents: HTTP on a Unix socket, for tests of the command line alone."""
import contextlib
import http.server
import json
import os
import queue
import socketserver
import threading
import urllib.parse

API = "plimsoll.dev/v1"
STATES = ["Pending", "Waiting", "Running", "Stalled", "Cancelling", "Lost", "Completed", "Failed",
          "Incomplete", "Canceled"]


def upload(uid, item, state="Running", backup="nightly", **status):
    base = {"completed": False, "err": "", "outcome": "none", "itemsCompleted": 0, "units": "bytes",
            "state": state, "reason": "", "freshness": {"state": "live", "ageSeconds": 0},
            "node": "node-a", "attempt": 1, "attempts": 1, "segment": uid, "errors": 0, "warnings": 0}
    base.update(status)
    return {"apiVersion": API, "kind": "Upload",
            "metadata": {"id": uid, "creationTimestamp": "2026-12-01T15:00:00.000Z"},
            "spec": {"backup": backup, "backupUID": f"uid-{backup}", "item": item, "snapshotID": "snap-1",
                     "volumeID": "", "parts": 1},
            "status": base}


def backup(name, phase, uploads=(), **extra):
    counts = {state: sum(u["status"]["state"] == state for u in uploads) for state in STATES}
    done = sum(u["status"]["itemsCompleted"] for u in uploads)
    totals = {"itemsCompleted": done, "unknown": 0, "uploads": len(uploads),
              "uploadsOver": sum(u["status"]["completed"] for u in uploads)}
    known = [u["status"].get("itemsToComplete") for u in uploads]
    totals["unknown"] = known.count(None)
    if known and None not in known:
        totals["itemsToComplete"] = sum(known)
    rates = [u["status"]["ratePerSecond"] for u in uploads if "ratePerSecond" in u["status"]]
    if rates:
        totals["ratePerSecond"] = sum(rates)
    totals.update(extra.pop("totals", {}))
    return {"apiVersion": API, "kind": "Backup",
            "metadata": {"name": name, "uid": f"uid-{name}",
                         "creationTimestamp": "2026-12-01T15:00:00.000Z"},
            "spec": {"seal": "manual", "source": "cli"},
            "status": {"phase": phase, "counts": counts, "totals": totals, "errors": [], "warnings": [],
                       "startTimestamp": "2026-12-01T15:00:01.000Z", **extra}}


def error(code, message, hint="", **extra):
    return {"apiVersion": API, "kind": "Error", "code": code, "message": message, "hint": hint, **extra}


class FakeDaemon:
    """Serves `backups` and `uploads`; `answers[(method, path)]` = (status, body) wins over both.

    push() sends an event to every watcher of that kind; `requests` keeps (method, path, body)."""

    def __init__(self, path):
        self.path, self.uploads, self.backups = str(path), {}, {}
        self.answers, self.requests = {}, []
        self.watchers = {"uploads": [], "backups": []}
        self.lock = threading.Lock()
        self.server = None

    def __enter__(self):
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def address_string(self):
                return "unix"

            def serve(self):
                length = int(self.headers.get("Content-Length") or 0)
                body = self.rfile.read(length)
                outer.requests.append((self.command, self.path, json.loads(body) if body else None))
                with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                    outer.answer(self)

            do_GET = do_POST = do_PUT = do_DELETE = serve

        class Server(socketserver.ThreadingUnixStreamServer):
            daemon_threads = True
            request_queue_size = 64

        with contextlib.suppress(FileNotFoundError):
            os.unlink(self.path)
        self.server = Server(self.path, Handler)
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()
        self.drop_watchers()
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self.path)

    def drop_watchers(self):
        with self.lock:
            for watchers in self.watchers.values():
                for watcher in watchers:
                    watcher.put(None)
                watchers.clear()

    def push(self, kind, type_, document):
        with self.lock:
            store = self.uploads if kind == "uploads" else self.backups
            key = document["metadata"]["id" if kind == "uploads" else "name"]
            if type_ == "DELETED":
                store.pop(key, None)
            else:
                store[key] = document
            for watcher in self.watchers[kind]:
                watcher.put({"type": type_, "object": document})

    def set(self, kind, *documents):
        for document in documents:
            self.push(kind, "MODIFIED", document)

    def send(self, handler, status, body):
        payload = body if isinstance(body, bytes) else json.dumps(body).encode()
        handler.send_response(status)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Content-Length", str(len(payload)))
        handler.end_headers()
        handler.wfile.write(payload)

    def answer(self, handler):
        url = urllib.parse.urlsplit(handler.path)
        query = dict(urllib.parse.parse_qsl(url.query))
        fixed = self.answers.get((handler.command, url.path))
        if fixed:
            return self.send(handler, *fixed)
        pieces = url.path.strip("/").split("/")
        kind = pieces[1] if len(pieces) > 1 and pieces[0] == "v1" else ""
        if handler.command == "GET" and kind in self.watchers:
            if query.get("watch"):
                return self.stream(handler, kind, query)
            return self.read(handler, kind, pieces, query)
        return self.send(handler, 404, error("not_found", f"no path '{url.path}'"))

    def matches(self, kind, document, query):
        if kind == "backups":
            return query.get("name", document["metadata"]["name"]) == document["metadata"]["name"]
        return all(query.get(key, value) == value for key, value in (
            ("backup", document["spec"]["backup"]), ("state", document["status"]["state"]),
            ("node", document["status"]["node"])))

    def read(self, handler, kind, pieces, query):
        store = self.uploads if kind == "uploads" else self.backups
        if len(pieces) > 2:
            found = store.get(urllib.parse.unquote(pieces[2]))
            if found is None:
                return self.send(handler, 404, error("not_found", f"no {kind[:-1]} '{pieces[2]}'"))
            if kind == "backups":
                found = json.loads(json.dumps(found))
                found["status"]["uploadProgress"] = {
                    u["spec"]["item"]: u["status"] for u in self.uploads.values()
                    if u["spec"]["backup"] == found["metadata"]["name"]}
            return self.send(handler, 200, found)
        items = [d for d in store.values() if self.matches(kind, d, query)]
        start, limit = int(query.get("continue", 0)), min(int(query.get("limit", 500)), 2)  # pages of 2
        more = {"continue": str(start + limit)} if start + limit < len(items) else {}
        return self.send(handler, 200, {"apiVersion": API, "kind": "List", "metadata": more,
                                        "items": items[start:start + limit]})

    def stream(self, handler, kind, query):
        events = queue.Queue()
        with self.lock:
            store = self.uploads if kind == "uploads" else self.backups
            for document in store.values():
                events.put({"type": "ADDED", "object": document})
            events.put({"type": "BOOKMARK", "object": {"synced": True}})
            self.watchers[kind].append(events)
        handler.send_response(200)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Connection", "close")
        handler.end_headers()
        while True:
            event = events.get()
            if event is None:
                return
            if event["type"] != "BOOKMARK" and not self.matches(kind, event["object"], query):
                continue
            handler.wfile.write(json.dumps(event).encode() + b"\n")
            handler.wfile.flush()
