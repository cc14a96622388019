// Colours of bars. One meaning has one colour in every picture of time: blues compute (the first one the forward pass or
// all kernels), ochres compute the backward pass, teals communicate, greys wait or do the rest. In pictures of memory
// blues hold states and ochres activations. Dark text on each of them has a contrast above 4.5.

const BLUE = "#7db4e6", BLUE_2 = "#a9cff0", BLUE_3 = "#cfe3f6", BLUE_4 = "#92a8c9", OCHRE = "#e3b261", OCHRE_2 = "#f0d199", OCHRE_3 = "#f7e6c6";
const GREY = "#b4bcc6", GREY_2 = "#cdd3da", GREY_3 = "#98a2ae", TEAL = "#7fc4b4", TEAL_2 = "#b5ddd4", LILAC = "#c3b4e0", SAND = "#d8cbb5", ROSE = "#e39a94";
const ON_BAR = "#14181d";

const ACTION_COLOURS = {
  forward: [BLUE, BLUE_2], backward: [OCHRE, OCHRE_2], backward_input: [OCHRE, OCHRE_2], backward_weight: [OCHRE_3, OCHRE_3],
  compute: [BLUE, BLUE], recomputation: [BLUE_4, BLUE_4], optimizer: [GREY_3, GREY_3], wait: [TEAL_2, TEAL_2], late: [ROSE, ROSE], barrier: [SAND, SAND], communication: [TEAL, TEAL], samples: [LILAC, LILAC], other: [GREY, GREY],
};
const ACTION_NAMES = {
  forward: "forward pass", backward: "backward pass", backward_input: "backward pass, input gradient",
  backward_weight: "backward pass, weight gradient", optimizer: "optimizer step", wait: "wait for collectives", late: "wait for others", barrier: "at the barrier, or finished",
  compute: "computation", recomputation: "recomputation", communication: "communication", samples: "wait for samples", other: "other work",
};

/// The colour group of an action's or an activity's name.
function kindOf(action) {
  if (ACTION_COLOURS[action]) return action;
  if (/forward/.test(action)) return "forward";
  if (/weight/.test(action)) return "backward_weight";
  if (/backward/.test(action)) return "backward";
  if (/barrier|idle/.test(action)) return "barrier";
  if (/wait/.test(action)) return "late";
  if (/recomput/.test(action)) return "recomputation";
  if (/comput/.test(action)) return "compute";
  if (/optim|update/.test(action)) return "optimizer";
  if (/reduce|gather|all_to_all|send|receive|broadcast|collective|communic|synchron|message/.test(action)) return "communication";
  return "other";
}

/// Chunks of a rank alternate between two tones, and so do its micro-batches where there is one chunk.
const colourOf = (kind, chunk) => ACTION_COLOURS[kind][(chunk || 0) % 2];

const MEMORY = [
  ["parameters", "weights", BLUE], ["gradients", "gradients", BLUE_2], ["optimizer", "optimizer states", BLUE_3],
  ["unsharded_gradients", "unsharded gradients", BLUE_4], ["activations", "saved activations", OCHRE],
  ["temporary", "temporary", OCHRE_2], ["optimizer_step", "optimizer step", GREY_3], ["buffers", "buffers", GREY],
  ["non_tensor", "CUDA context, NCCL", GREY_2], ["free_blocks", "free blocks of the allocator", LILAC],
];

const SERIES = ["--accent", OCHRE, GREY_3, TEAL, ROSE, "#8a79c9", "#7a8f3c", "#c97fae"];
const seriesColour = index => (index % SERIES.length ? SERIES[index % SERIES.length] : css("--accent"));
const INK = { get accent() { return css("--accent"); }, get bad() { return css("--bad"); }, get fg() { return css("--fg"); }, get soft() { return css("--soft"); }, get rule() { return css("--rule"); }, get bg() { return css("--bg"); } };
