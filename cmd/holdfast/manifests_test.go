package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// This file owns the tests of the manifests: each fits its schema in deploy/schemas, names nothing that is not there,
// and sets the program up as the program takes it. A table of faults shows that each of them would be found.

// manifestOf is a manifest and its schema.
type manifestOf struct{ file, schema string }

var (
	kubernetesManifest = manifestOf{"kubernetes.yaml", "kubernetes/kubernetes.json"}
	composeManifest    = manifestOf{"compose.yaml", "compose/compose-spec.json"}
)

// text is the manifest as it lies in the tree.
func (m manifestOf) text(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("deploy", m.file))
	require.NoError(t, err)
	return string(text)
}

// faults are what is wrong with a text of this manifest.
func (m manifestOf) faults(t *testing.T, text string) error {
	t.Helper()
	schema, err := jsonschema.NewCompiler().Compile(filepath.Join("deploy", "schemas", m.schema))
	require.NoError(t, err)
	documents, err := yamlDocuments(text)
	if err != nil {
		return err
	}
	for _, d := range documents {
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(d))
		require.NoError(t, err)
		if err := schema.Validate(value); err != nil {
			return err
		}
	}
	if m == composeManifest {
		return danglingInCompose(documents)
	}
	return danglingInKubernetes(documents)
}

// yamlDocuments gives each document as JSON. A member that is there twice is an error.
func yamlDocuments(text string) (all []json.RawMessage, err error) {
	for d := yaml.NewDecoder(strings.NewReader(text)); ; {
		var value any
		if err := d.Decode(&value); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, err
		}
		document, err := json.Marshal(value)
		if err != nil {
			return nil, err
		}
		all = append(all, document)
	}
}

// danglingInKubernetes says which names stand for nothing.
func danglingInKubernetes(documents []json.RawMessage) error {
	type named struct{ Name string }
	type probe struct{ HTTPGet struct{ Port string } }
	var service struct {
		Metadata named
		Spec     struct {
			Selector map[string]string
			Ports    []struct{ TargetPort string }
		}
	}
	var set struct {
		Spec struct {
			ServiceName string
			Selector    struct{ MatchLabels map[string]string }
			Template    struct {
				Metadata struct{ Labels map[string]string }
				Spec     struct {
					Volumes    []named
					Containers []struct {
						Args                                        []string
						Env                                         []struct{ Name, Value string }
						Ports, VolumeMounts                         []named
						StartupProbe, ReadinessProbe, LivenessProbe probe
					}
				}
			}
			VolumeClaimTemplates []struct{ Metadata named }
		}
	}
	if len(documents) != 2 {
		return fmt.Errorf("%d documents: a service and a set are two", len(documents))
	}
	if err := errors.Join(json.Unmarshal(documents[0], &service), json.Unmarshal(documents[1], &set)); err != nil {
		return err
	}
	pod := set.Spec.Template
	for _, labels := range []map[string]string{service.Spec.Selector, set.Spec.Selector.MatchLabels} {
		for name, value := range labels {
			if pod.Metadata.Labels[name] != value {
				return fmt.Errorf("no pod has the label %s=%s", name, value)
			}
		}
	}
	if set.Spec.ServiceName != service.Metadata.Name {
		return fmt.Errorf("there is no service %q", set.Spec.ServiceName)
	}
	volumes := pod.Spec.Volumes
	for _, claim := range set.Spec.VolumeClaimTemplates {
		volumes = append(volumes, claim.Metadata)
	}
	if len(pod.Spec.Containers) != 1 || len(service.Spec.Ports) != 1 {
		return fmt.Errorf("%d containers and %d ports: one each", len(pod.Spec.Containers), len(service.Spec.Ports))
	}
	c := pod.Spec.Containers[0]
	for _, port := range []string{
		service.Spec.Ports[0].TargetPort,
		c.StartupProbe.HTTPGet.Port, c.ReadinessProbe.HTTPGet.Port, c.LivenessProbe.HTTPGet.Port,
	} {
		if !slices.Contains(c.Ports, named{port}) {
			return fmt.Errorf("there is no port %q", port)
		}
	}
	for _, mount := range c.VolumeMounts {
		if !slices.Contains(volumes, mount) {
			return fmt.Errorf("there is no volume %q", mount.Name)
		}
	}
	environment := map[string]string{}
	for _, v := range c.Env {
		environment[v.Name] = v.Value
	}
	return untaken(c.Args, environment)
}

// danglingInCompose does the same.
func danglingInCompose(documents []json.RawMessage) error {
	var project struct {
		Services map[string]struct {
			Build       struct{ Context, Dockerfile string }
			Environment map[string]string
			Volumes     []string
			Networks    []string
			DependsOn   map[string]any `json:"depends_on"`
		}
		Volumes, Networks map[string]any
	}
	if len(documents) != 1 {
		return fmt.Errorf("%d documents: a project is one", len(documents))
	}
	if err := json.Unmarshal(documents[0], &project); err != nil {
		return err
	}
	for name, s := range project.Services {
		if s.Build.Dockerfile != "" {
			if _, err := os.Stat(filepath.Join("deploy", s.Build.Context, s.Build.Dockerfile)); err != nil {
				return err
			}
		}
		for _, v := range s.Volumes {
			volume, _, _ := strings.Cut(v, ":")
			if _, ok := project.Volumes[volume]; !ok {
				return fmt.Errorf("%s: there is no volume %q", name, volume)
			}
		}
		for _, n := range s.Networks {
			if _, ok := project.Networks[n]; !ok {
				return fmt.Errorf("%s: there is no network %q", name, n)
			}
		}
		for other := range s.DependsOn {
			if _, ok := project.Services[other]; !ok {
				return fmt.Errorf("%s: there is no service %q", name, other)
			}
		}
		if name == "holdfast" {
			if err := untaken([]string{"serve"}, s.Environment); err != nil {
				return err
			}
		}
	}
	return nil
}

// untaken says what of a command line and an environment the program does not take.
func untaken(args []string, environment map[string]string) error {
	root := newRoot()
	cmd, rest, err := root.Find(args)
	if err != nil {
		return err
	}
	if err := cmd.ParseFlags(rest); err != nil {
		return err
	}
	known := variables(cmd)
	for name := range environment {
		if !slices.Contains(known, name) {
			return fmt.Errorf("%s takes no %s", cmd.Name(), name)
		}
	}
	return nil
}

func TestManifestsFit(t *testing.T) {
	for _, m := range []manifestOf{kubernetesManifest, composeManifest} {
		require.NoError(t, m.faults(t, m.text(t)), m.file)
	}
}

// Each fault is put into the manifest at one place, and is found.
func TestManifestFaultsAreFound(t *testing.T) {
	k8s, compose := kubernetesManifest, composeManifest
	for _, f := range []struct {
		m           manifestOf
		old, put    string
		told, where string
	}{
		{k8s, "replicas: 1", "replica: 1", "'replica' not allowed", "/spec"},
		{k8s, "fsGroupChangePolicy:", "fsGroupChange:", "'fsGroupChange' not allowed",
			"/spec/template/spec/securityContext"},
		{k8s, "kind: StatefulSet", "kind: StatefullSet", "must be one of", "/kind"},
		{k8s, "apiVersion: apps/v1", "apiVersion: apps/v1beta1", "must be 'apps/v1'", "/apiVersion"},
		{k8s, "replicas: 1", `replicas: "1"`, "want integer", "/spec/replicas"},
		{k8s, "{name: HOLDFAST_DATA, value: /data/store}", "{name: HOLDFAST_DATA, value: 8080}", "want string",
			"/env/0/value"},
		{k8s, "runAsNonRoot: true", `runAsNonRoot: "true"`, "want boolean", "/runAsNonRoot"},
		{k8s, "containers:\n        - name", "containers:\n          name", "want array",
			"/spec/template/spec/containers"},
		{k8s, "limits: {memory: 2Gi}", "limits: {memory: 2GB}", "does not match pattern", "/limits/memory"},
		{k8s, "seccompProfile: {type: RuntimeDefault}", "seccompProfile: {type: Default}", "must be one of",
			"/seccompProfile/type"},
		{k8s, "accessModes: [ReadWriteOnce]", "accessModes: [ReadWrite]", "must be one of", "/accessModes/0"},
		{k8s, "  selector:\n    matchLabels: {app: holdfast}\n", "", "missing property 'selector'", "/spec"},
		{k8s, "port: 80, ", "", "missing property 'port'", "/spec/ports/0"},
		{k8s, "          image: holdfast:latest\n", "", "missing property 'image'", "/containers/0"},
		{k8s, "{name: data, mountPath: /data}", "{name: data}", "missing property 'mountPath'", "/volumeMounts/0"},
		{k8s, "kind: Service\nmetadata:\n  name: holdfast\n", "kind: Service\nmetadata:\n", "missing property 'name'",
			"/metadata"},
		{k8s, "  replicas: 1\n", "  replicas: 1\n  replicas: 2\n", `"replicas" already defined`, "line"},
		{k8s, "  selector: {app: holdfast}", "  selector: {app: holdfats}", "no pod has the label app=holdfats", ""},
		{k8s, "serviceName: holdfast", "serviceName: holdfats", `no service "holdfats"`, ""},
		{k8s, "targetPort: http}", "targetPort: htpp}", `no port "htpp"`, ""},
		{k8s, "{path: /healthz, port: http}", "{path: /healthz, port: health}", `no port "health"`, ""},
		{k8s, "{name: scratch, mountPath: /tmp}", "{name: tmp, mountPath: /tmp}", `no volume "tmp"`, ""},
		{k8s, `"--metrics-listen"`, `"--metric-listen"`, "--metric-listen", ""},
		{k8s, "name: HOLDFAST_DATA", "name: HOLDFAST_DIR", "serve takes no HOLDFAST_DIR", ""},

		{compose, "read_only: true", "readonly: true", "false schema", "/services/holdfast/readonly"},
		{compose, "condition: service_healthy", "condition: healthy", "must be one of",
			"/depends_on/holdfast/condition"},
		{compose, "cap_drop: [ALL]", "cap_drop: ALL", "want array", "/services/holdfast/cap_drop"},
		{compose, "stop_grace_period: 30s", "stop_grace_period: 30", "want string", "/stop_grace_period"},
		{compose, "      nofile: 65536", "      nofile: {soft: 65536}", "missing property 'hard'", "/ulimits/nofile"},
		{compose, "      - path: backup.env\n        required", "      - required", "missing property 'path'",
			"/env_file/0"},
		{compose, "services:\n", "service:\n", "'service' not allowed", ""},
		{compose, "    read_only: true\n", "    read_only: true\n    read_only: false\n", `"read_only" already defined`,
			"line"},
		{compose, "scratch:/tmp", "tmp:/tmp", `no volume "tmp"`, "holdfast"},
		{compose, "\nnetworks:\n  inside:", "\nnetworks:\n  outside:", `no network "inside"`, ""},
		{compose, "dockerfile: cmd/holdfast/deploy/Dockerfile", "dockerfile: Dockerfile", "no such file", "Dockerfile"},
		{compose, "HOLDFAST_TRUSTED_PROXY", "HOLDFAST_PROXY", "serve takes no HOLDFAST_PROXY", ""},
		{compose, "    depends_on:\n      holdfast:", "    depends_on:\n      server:", `no service "server"`, "proxy"},
	} {
		text := f.m.text(t)
		require.Equal(t, 1, strings.Count(text, f.old), "%s: %s is to be at one place", f.m.file, f.old)
		err := f.m.faults(t, strings.Replace(text, f.old, f.put, 1))
		assert.ErrorContains(t, err, f.told, "%s: %s", f.m.file, f.put)
		assert.ErrorContains(t, err, f.where, "%s: %s", f.m.file, f.put)
	}
}
