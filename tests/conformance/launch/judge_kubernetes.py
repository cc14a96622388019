"""Judges job.yaml files with the models of Kubeflow and JobSet; the cases come as JSON on standard input."""
import json
import re
import sys

import yaml
from kubeflow.training import api_client
from kubeflow_trainer_api import models

LABEL = re.compile(r"[a-z]([-a-z0-9]*[a-z0-9])?\Z")
RESERVED = {"PET_NNODES", "PET_NPROC_PER_NODE", "PET_NODE_RANK", "PET_MASTER_ADDR", "PET_MASTER_PORT"}
TRAINER = {"TrainJob": models.TrainerV1alpha1TrainJob, "TrainingRuntime": models.TrainerV1alpha1TrainingRuntime,
           "JobSet": models.JobsetV1alpha2JobSet}


def expect(condition, what):
    if not condition:
        raise AssertionError(what)


class Response:
    """What the client of the training operator deserializes from."""

    def __init__(self, document):
        self.data = json.dumps(document)


def round_trip(document):
    kind = document["kind"]
    if kind in TRAINER:
        return TRAINER[kind].from_dict(document).to_dict()
    client = api_client.ApiClient()
    return client.sanitize_for_serialization(client.deserialize(Response(document), "KubeflowOrgV1PyTorchJob"))


def expanded(text, variables):
    """As Kubernetes expands a command, an argument or a variable: `$(NAME)` where it is known, `$$` is `$`."""
    out, i = "", 0
    while i < len(text):
        if text[i] != "$" or i + 1 == len(text):
            out, i = out + text[i], i + 1
        elif text[i + 1] == "$":
            out, i = out + "$", i + 2
        elif text[i + 1] == "(" and ")" in text[i:]:
            end = text.index(")", i)
            name = text[i + 2:end]
            out, i = out + variables.get(name, text[i:end + 1]), end + 1
        else:
            out, i = out + text[i], i + 1
    return out


def check_label(text, what, longest=63):
    expect(LABEL.match(text) and len(text) <= longest, f"{what} is {text!r}")


def check_pod(pod, case, container_name, complete=True):
    containers = [c for c in pod["containers"] if c["name"] == container_name]
    expect(len(containers) == 1, f"not one container `{container_name}`")
    container = containers[0]
    expect(container["image"], "a container without an image")
    volumes = {volume["name"]: volume for volume in pod["volumes"]}
    places = [mount["mountPath"] for mount in container["volumeMounts"]]
    expect(len(set(places)) == len(places), "two mounts at one place")
    expect(all(mount["name"] in volumes for mount in container["volumeMounts"]), "a mount without a volume")
    shared = next(m for m in container["volumeMounts"] if m["mountPath"] == "/dev/shm")
    expect(volumes[shared["name"]]["emptyDir"]["medium"] == "Memory", "/dev/shm is no memory")
    if "mount" in case:
        volume = next(volumes[m["name"]] for m in container["volumeMounts"] if m["mountPath"] == case["mount"])
        expect(volume["hostPath"]["path"] == case["mount"], "another path is mounted")
        expect(container["workingDir"] == case["folder"], "another working folder")
    if complete:
        check_start(container, case, container["resources"])


def check_start(what, case, resources):
    """Command, arguments, environment and GPUs of a container or of a trainer."""
    expect(resources["limits"]["nvidia.com/gpu"] == str(case["gpus"]), "another number of GPUs")
    variables = {}
    for variable in what.get("env", []):
        variables[variable["name"]] = expanded(variable["value"], variables | {"MASTER_ADDR": "expanded"})
    for name, value in case.get("environment", {}).items():
        expect(variables[name] == value, f"{name} arrives as {variables[name]!r}")
    known = variables | {"MASTER_ADDR": "expanded", "HOME": "expanded"}
    script = expanded(what["command"][2], known)
    expect("NODE_RANK" in script and "expanded" not in script, "the command reads no NODE_RANK")
    arguments = [expanded(word, known) for word in what["args"]]
    if "arguments" in case:
        expect(arguments[-len(case["arguments"]):] == case["arguments"], f"arguments arrive as {arguments}")
    return variables


def check_trainjob(documents, case):
    runtime, job = documents
    expect((runtime["kind"], job["kind"]) == ("TrainingRuntime", "TrainJob"), "other kinds")
    name = job["metadata"]["name"]
    check_label(name, "the name")
    check_label(f"{name}-node-0-{case['nodes'] - 1}-xxxxx", "the name of the last pod")
    ref = job["spec"]["runtimeRef"]
    expect((ref["kind"], ref["name"]) == ("TrainingRuntime", runtime["metadata"]["name"]), "another runtime")
    trainer = job["spec"]["trainer"]
    expect(trainer["numNodes"] == case["nodes"] and trainer["numProcPerNode"] == case["gpus"], "another world")
    expect(isinstance(trainer["numProcPerNode"], int), "numProcPerNode is no integer")
    variables = check_start(trainer, case, trainer["resourcesPerNode"])
    expect(not RESERVED & set(variables), "a reserved variable")
    policy = runtime["spec"]["mlPolicy"]
    expect(sum(key in policy for key in ("torch", "mpi", "jax", "xgboost", "flux")) <= 1, "two policies")
    (replicated,) = runtime["spec"]["template"]["spec"]["replicatedJobs"]
    template = replicated["template"]
    expect(template["metadata"]["labels"]["trainer.kubeflow.org/trainjob-ancestor-step"] == "trainer", "no trainer step")
    check_pod(template["spec"]["template"]["spec"], case, "node", complete=False)


def check_pytorchjob(documents, case):
    (job,) = documents
    check_label(job["metadata"]["name"], "the name")
    check_label(f"{job['metadata']['name']}-worker-{case['nodes'] - 2}", "the name of the last pod")
    spec = job["spec"]
    expect(spec["nprocPerNode"] == str(case["gpus"]), "nprocPerNode is no number in a string")
    replicas = spec["pytorchReplicaSpecs"]
    expect(set(replicas) == {"Master", "Worker"}, "other replica types")
    expect(replicas["Master"]["replicas"] == 1 and replicas["Worker"]["replicas"] == case["nodes"] - 1, "other replicas")
    for replica in replicas.values():
        check_pod(replica["template"]["spec"], case, "pytorch")


def check_jobset(documents, case):
    (job,) = documents
    name = job["metadata"]["name"]
    (replicated,) = job["spec"]["replicatedJobs"]
    check_label(f"{name}-{replicated['name']}-0-{case['nodes'] - 1}-xxxxx", "the name of the last pod")
    spec = replicated["template"]["spec"]
    expect(spec["completionMode"] == "Indexed", "not indexed")
    expect(spec["completions"] == spec["parallelism"] == case["nodes"], "another number of pods")
    pod = spec["template"]["spec"]
    check_pod(pod, case, "node")
    head = f"{name}-{replicated['name']}-0-0.{name}"
    expect(f"MASTER_ADDR={head} " in pod["containers"][0]["command"][2], "another head")
    expect(job["spec"]["network"]["enableDNSHostnames"], "hosts without names")


def judge(case):
    with open(case["file"], encoding="utf-8") as file:
        documents = list(yaml.safe_load_all(file))
    for document in documents:
        expect(round_trip(document) == document, f"{document['kind']} does not come back equal")
    globals()[f"check_{case['kind']}"](documents, case)


def damaged(case):
    """Changes that a model has to refuse or lose: the judge is no rubber stamp."""
    with open(case["file"], encoding="utf-8") as file:
        documents = list(yaml.safe_load_all(file))
    last = documents[-1]
    if case["kind"] == "trainjob":
        changes = [lambda d: d["spec"].pop("runtimeRef"), lambda d: d["spec"]["trainer"].update(numNodes="four"),
                   lambda d: d["spec"]["trainer"].update(numProcPerNode="auto"), lambda d: d["spec"].update(nodes=4)]
    else:
        changes = [lambda d: d["spec"].update(nodes=4)]
    for change in changes:
        copy = json.loads(json.dumps(last))
        change(copy)
        try:
            accepted = round_trip(copy) == copy
        except Exception:  # whatever the model raises is a refusal
            accepted = False
        expect(not accepted, f"{case['kind']}: a damaged document is accepted")


def main():
    failed = 0
    for case in json.load(sys.stdin):
        try:
            judge(case)
            damaged(case)
            print(f"accepted {case['file']}")
        except Exception as error:
            print(f"FAILED   {case['file']}: {type(error).__name__}: {error}")
            failed += 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
