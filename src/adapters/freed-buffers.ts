/**
 * Overwrites memory that buffers of this process have freed. The C library keeps such memory for the next allocation
 * and does not clear it, unless it is told to when the process starts (`GLIBC_TUNABLES`, as for the engine's process
 * and in `deploy/`). Here the same is approached from outside: blocks of several sizes are allocated, which get the
 * freed places first, cleared and freed again. It ends as soon as the blocks come from fresh memory.
 */
const sizes = [1024 * 1024, 64 * 1024, 8 * 1024, 1024, 320, 128];
const mostBytesOfASize = 32 * 1024 * 1024;
const mostBlocksOfASize = 8_192;
const blocksAtOnce = 64;
/** Of the resident memory: what grows by more was not there before. */
const freshBytes = 4 * 1024 * 1024;

export function overwriteFreedBuffers(): void {
  // Largest first, and all held until the end: otherwise a small block could be put where a large one was.
  const held: Buffer[] = [];
  for (const size of sizes) {
    const most = Math.min(mostBlocksOfASize, mostBytesOfASize / size);
    const before = process.memoryUsage.rss();
    for (let blocks = 0; blocks < most; blocks++) {
      held.push(Buffer.allocUnsafeSlow(size).fill(0));
      const hasGrown =
        blocks % blocksAtOnce === 0 || size > 64 * 1024 ? process.memoryUsage.rss() - before : 0;
      if (hasGrown > freshBytes) break;
    }
  }
}
