/** Counts what uses an engine at the moment. */
export class Uses {
  count = 0;

  /** `onEnd` is called after each that ended. */
  constructor(private readonly onEnd: () => void) {}

  /** The returned function ends it, and may be called more than once. */
  begin(): () => void {
    this.count += 1;
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.count -= 1;
      this.onEnd();
    };
  }
}
