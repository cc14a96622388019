#!/usr/bin/env bash
# dense of tests/conformance/launch/plans/kubernetes_trainjob.dpl, plan HASH.
# Written by dplc 0.2.0 for Kubernetes; an edit is lost with the next emit.
#
# Brings the job to the cluster that kubectl speaks to.
set -euo pipefail

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
kubectl create configmap llama-nightly-megatron --namespace training --from-file="$here/../megatron" \
  --dry-run=client --output yaml | kubectl apply --server-side --filename -
kubectl apply --server-side --filename "$here/job.yaml"
