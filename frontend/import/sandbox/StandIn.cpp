//===- StandIn.cpp - The program that a script finds in place of every launcher ---------------===//
//
// Many processes may write records to one pipe, so each line is short enough for an atomic write.
// Words are separated by tabs. `\` escapes `\`, tabs and line ends.
#include "frontend/import/sandbox/Sandbox.h"
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::imports;

llvm::StringRef sandbox::standIn() {
  return R"(#!/bin/bash -p
LC_ALL=C
name=${0##*/}
here=${0%/*}

escaped() {
  local word out=
  for word; do
    word=${word//\\/\\\\}
    word=${word//$'\n'/\\n}
    word=${word//$'\t'/\\t}
    out+=$'\t'$word
  done
  REPLY=$out
}

# "." ends a record, "," one whose output somebody else reads.
record() {
  local end=.
  escaped "$@"
  local text=$DPL_BEFORE$REPLY
  exec 202>&1
  [[ $(stat -L -c %d:%i - <&202) == $(stat -L -c %d:%i - <&201) ]] || end=,
  while ((${#text} > 3000)); do
    printf '%s + %s\n' $$ "${text:0:3000}" >&200
    text=${text:3000}
  done
  printf '%s %s %s\n' $$ "$end" "$text" >&200
  exit 0
}

# Starts the command behind its own words, the number of which comes first.
starts() {
  local own=$1
  shift
  escaped "$name" "${@:1:own}"
  export DPL_BEFORE=$DPL_BEFORE$REPLY
  shift "$own"
  local command=$1
  shift
  case $command in
    *.sh) [[ -x $command ]] || set -- bash "$command" "$@" && command=$1 && shift ;;
    */*) [[ -e $command || ! -e $here/${command##*/} ]] || command=$here/${command##*/} ;;
  esac
  exec "$command" "$@"
}

# What a launcher starts stands behind options that nobody needs to know: the first word that is a
# shell, a stand-in or a script.
wraps() {
  local -a words=("$@")
  local i word
  for ((i = 0; i < ${#words[@]}; i++)); do
    word=${words[i]}
    case ${word##*/} in
      bash | sh | zsh | dash | env | nohup | timeout | nice | stdbuf | taskset) starts "$i" "$@" ;;
      *.sh) [[ -f $word ]] && starts "$i" "$@" ;;
      *) [[ $word && -e $here/${word##*/} ]] && starts "$i" "$@" ;;
    esac
  done
  for word; do
    [[ $word == *.py ]] && record "$name" "$@"
  done
  exit 0
}

# The job begins at once, and who queued it reads nothing of it; one that a job queues does not begin.
queues() {
  [[ -z $DPL_JOB ]] || exit 0
  export DPL_JOB=1 SLURM_JOB_ID=${SLURM_JOB_ID-1} SLURM_SUBMIT_DIR=${SLURM_SUBMIT_DIR-$PWD}
  local i text=
  for ((i = 1; i <= $#; i++)); do
    case ${!i} in
      --wrap=*) exec bash -c "${!i#--wrap=}" >&201 ;;
    esac
    [[ ! -f ${!i} ]] || exec bash "${@:i}" >&201
  done
  text=$(cat)
  [[ -z $text ]] || exec bash -c "$text" >&201
  record "$name" "$@"
}

case $name in
  module | ml | spack) exit 0 ;;
  conda | mamba | micromamba)
    [[ $1 == run ]] && wraps "$@"
    exit 0
    ;;
  python*)
    for ((i = 1; i <= $#; i++)); do
      case ${!i} in
        -W | -X | --check-hash-based-pycs) ((i++)) ;;
        -c | - | -V | --version | -h | --help) break ;;
        -m | [!-]*) record "$name" "$@" ;;
      esac
    done
    for real in "/usr/bin/$name" /usr/bin/python3; do
      [[ -x $real ]] && exec "$real" "$@"
    done
    echo "$name: not here" >&2
    exit 127
    ;;
  srun)
    export SLURM_PROCID=${SLURM_PROCID-0} SLURM_LOCALID=${SLURM_LOCALID-0} SLURM_NODEID=${SLURM_NODEID-0}
    wraps "$@"
    ;;
  mpirun | mpiexec | orterun)
    export OMPI_COMM_WORLD_RANK=${OMPI_COMM_WORLD_RANK-0} OMPI_COMM_WORLD_LOCAL_RANK=${OMPI_COMM_WORLD_LOCAL_RANK-0}
    wraps "$@"
    ;;
  ssh)
    for ((i = 1; i <= $#; i++)); do
      case ${!i} in
        -[BbcDEeFIiJLlmOopQRSWw]) ((i++)) ;;
        -*) ;;
        *) break ;;
      esac
    done
    # The rest is one line for the shell of the other machine.
    ((i < $#)) && starts "$i" "${@:1:i}" bash -c "${*:i+1}"
    exit 0
    ;;
  sbatch | qsub | bsub) queues "$@" ;;
  torchrun | accelerate | deepspeed | horovodrun) record "$name" "$@" ;;
  *) wraps "$@" ;;
esac
)";
}

std::vector<std::string> sandbox::standInNames() {
  std::vector<std::string> out{
      "torchrun",  "python", "python3", "accelerate", "deepspeed", "horovodrun", "sbatch",
      "qsub",      "bsub",   "srun",    "salloc",     "mpirun",    "mpiexec",    "orterun",
      "jsrun",     "aprun",  "docker",  "podman",     "nerdctl",   "enroot",     "singularity",
      "apptainer", "ssh",    "pdsh",    "conda",      "mamba",     "micromamba", "module",
      "ml",        "spack",  "numactl", "nsys",       "ncu",       "sudo",       "kubectl"};
  for (int minor = 6; minor <= 14; ++minor)
    out.push_back(fmt::format("python3.{}", minor));
  return out;
}
