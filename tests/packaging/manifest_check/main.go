// main.go - decodes Kubernetes manifests strictly into the API's own Go types: an unknown, duplicate
// or wrongly typed field is an error. usage: manifest-check FILE
package main

import (
	"bytes"
	"fmt"
	"os"
	"regexp"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

// typed returns an empty object of the kind the document says it is.
func typed(meta metav1.TypeMeta) (any, error) {
	switch meta.APIVersion + "/" + meta.Kind {
	case "apps/v1/DaemonSet":
		return &appsv1.DaemonSet{}, nil
	case "v1/ConfigMap":
		return &corev1.ConfigMap{}, nil
	case "v1/Namespace":
		return &corev1.Namespace{}, nil
	case "v1/ServiceAccount":
		return &corev1.ServiceAccount{}, nil
	}
	return nil, fmt.Errorf("kind '%s' of '%s' is not known to this check", meta.Kind, meta.APIVersion)
}

func check(document []byte) (string, error) {
	var meta metav1.TypeMeta
	if err := yaml.Unmarshal(document, &meta); err != nil {
		return "", err
	}
	object, err := typed(meta)
	if err != nil {
		return "", err
	}
	return meta.Kind, yaml.UnmarshalStrict(document, object)
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: manifest-check FILE")
		os.Exit(2)
	}
	text, err := os.ReadFile(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	failed := false
	for number, document := range regexp.MustCompile(`(?m)^---.*$`).Split(string(text), -1) {
		if len(bytes.TrimSpace(regexp.MustCompile(`(?m)^\s*#.*$`).ReplaceAll([]byte(document), nil))) == 0 {
			continue
		}
		kind, err := check([]byte(document))
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s: document %d: %v\n", os.Args[1], number, err)
			failed = true
			continue
		}
		fmt.Printf("%s: document %d: %s ok\n", os.Args[1], number, kind)
	}
	if failed {
		os.Exit(1)
	}
}
