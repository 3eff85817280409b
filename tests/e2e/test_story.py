"""The main road with real daemons and a real restic, each kill included; what the demo plays, small."""
import pytest

import scenarios
from harness import Restic

AGENT_YAML = "lostAfter: 2s\n"


@pytest.fixture
def house(make_house):
    return make_house(agent_yaml=AGENT_YAML).start_all()


def test_agent_and_controller_die_and_the_backup_completes_only_when_durable(house, tmp_path):
    big, small = Restic(tmp_path, "big", 48), Restic(tmp_path, "small", 24)
    figures = scenarios.nightly(house, big, small, (2400, 1200))
    assert figures["bytes durable"] == 72 << 20


def test_a_backup_deleted_while_uploading_stops_restic_and_is_gone(house, tmp_path):
    scenarios.deleted(house, Restic(tmp_path, mebibytes=48), 1000)


def test_a_killed_wrapper_is_lost_then_failed_and_its_numbers_are_kept(house, tmp_path):
    figures = scenarios.lost(house, Restic(tmp_path, mebibytes=48), 1000)
    assert figures["kill to Lost"] < 1.5, "the promise is 1.5 s; the sweep alone finds it within one"


def test_a_killed_restic_fails_at_once_and_exits_137(house, tmp_path):
    scenarios.tool_killed(house, Restic(tmp_path, mebibytes=48), 1000)
