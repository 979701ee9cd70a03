"""Lints the chart, renders it with every part on and with its defaults, and checks each object against the schema of Kubernetes."""

import sys
import tempfile

import helm_python as helm
import kubernetes_validate
import yaml

chart_folder = sys.argv[1]
everything = {
    "autoscaling": {"enabled": True},
    "ingress": {"enabled": True, "className": "nginx"},
}
kubernetes_version = "1.29"
# Kinds of other makers, which are not in the schema of Kubernetes.
foreign_kinds = {"ScaledObject"}
defaults = {"Deployment/x-api", "Deployment/x-worker", "Service/x-api", "PodDisruptionBudget/x-api", "Job/x-migrate"}


def objects(values):
    with helm.Chart.load(chart_folder) as chart:
        manifests = chart.render(values, name="x", namespace="kindred")
    documents = [item for text in manifests.values() for item in yaml.safe_load_all(text) if item]
    return {f"{item['kind']}/{item['metadata']['name']}": item for item in documents}


def require(condition, words):
    if not condition:
        sys.exit(words)


# A severity of 1 is advice, such as a missing icon.
faults = [finding for finding in helm.lint(chart_folder)["messages"] if finding["severity"] > 1]
require(not faults, f"helm lint: {faults}")
for values, expected in ({}, defaults), (everything, defaults | {"Ingress/x", "ScaledObject/x-worker"}):
    found = objects(values)
    require(found.keys() == expected, f"the chart makes {sorted(found)}, not {sorted(expected)}")
    for name, item in found.items():
        if item["kind"] not in foreign_kinds:
            kubernetes_validate.validate(item, kubernetes_version, strict=True)
        for container in item.get("spec", {}).get("template", {}).get("spec", {}).get("containers", []):
            require(container["securityContext"]["readOnlyRootFilesystem"] is True, f"{name}: the root file system can be written")
            names = [variable["name"] for variable in container["env"]]
            require(len(set(names)) == len(names), f"{name}: a setting comes twice")
scaled = objects(everything)["ScaledObject/x-worker"]["spec"]
require(scaled["scaleTargetRef"]["name"] == "x-worker" and len(scaled["triggers"]) == 4, "the workers are not scaled by their queues")
require("replicas" not in objects(everything)["Deployment/x-worker"]["spec"], "the chart and KEDA both set the number of workers")
