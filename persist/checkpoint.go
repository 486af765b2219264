package persist

const stagePrefix = "checkpoint-"
