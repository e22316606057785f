/**
 * A start as one display, from the build to the port: a bar on a terminal with what remains, plain lines in a log. The
 * build runs before there is a built program, so this is a plain file that both load. Each draws the same bar on the
 * same line, which is why every stage has its fixed part of it. Nothing appears when there is nothing to wait for.
 * Everything goes to stderr, since stdout is for results.
 */

async function newBar(stream) {
  // A log needs no bar, and a service starts sooner without.
  const { default: progress } = await import("cli-progress");
  return new progress.SingleBar({
    stream,
    format: "Starting Sotto  {bar}  {percentage}%  {remaining}",
    barCompleteChar: "█",
    barIncompleteChar: "░",
    // Its handlers for signals would stand in the way of the server's own.
    gracefulExit: false,
  });
}

/** In percent, from where to where. */
const parts = { build: [0, 10], weights: [10, 99] };

/** `size` is that of the starter weights, as people read it. */
export async function startProgress(size = "", stream = process.stderr) {
  const bar = stream.isTTY ? await newBar(stream) : null;
  let stage = "";

  const update = (name, line, done, total, remaining) => {
    const isNew = stage !== name;
    if (isNew && bar === null) stream.write(`${line}\n`);
    const [from, to] = parts[name];
    const value = from + ((to - from) * done) / total;
    if (stage === "") bar?.start(100, value, { remaining });
    else bar?.update(value, { remaining });
    stage = name;
  };
  const stop = () => {
    if (stage !== "") bar?.stop();
    stage = "";
  };
  /** Where the bar is drawn, what else is written goes above it. */
  const clearLine = () => (bar !== null && stage !== "" ? "\r\x1b[K" : "");

  return {
    build: (done, total) => {
      const line = "Building Sotto (once after each change) ...";
      update("build", line, done, total, `building, step ${Math.min(done + 1, total)} of ${total}`);
    },
    weights: (doneBytes, totalBytes) => {
      const line = `Preparing the starter weights (${size}, once) ...`;
      const left = Math.ceil(100 * (1 - doneBytes / totalBytes));
      const remaining = `preparing the starter weights (${size}), ${left}% of them left`;
      update("weights", line, doneBytes, totalBytes, remaining);
      if (doneBytes < totalBytes || bar === null) return;
      // What is left takes no time, and the log goes on below.
      bar.update(100, { remaining: "opening the port" });
      stop();
    },
    notice: (sentence) => {
      stream.write(`${clearLine()}${sentence}\n`);
    },
    /** The build is done: whatever comes next begins on the bar's line. */
    handOver: () => {
      if (bar === null || stage === "") return;
      bar.stop();
      // Stopping ended the line.
      stream.write("\x1b[1A\r\x1b[K");
      stage = "";
    },
    /** It cannot start. */
    stop,
  };
}
