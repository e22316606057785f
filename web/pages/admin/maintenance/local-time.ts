/** Converts between a moment and the text of an `<input type="datetime-local">`, in the reader's time zone. */

export function localInput(moment: Date): string {
  const shifted = new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 16);
}

/** Null for a time that is not complete yet. */
export function momentOf(input: string): string | null {
  const moment = new Date(input);
  return Number.isNaN(moment.getTime()) ? null : moment.toISOString();
}

/** The next full hour, `hours` later. */
export function fullHourFrom(now: number, hours: number): Date {
  const hourMs = 3_600_000;
  return new Date(Math.ceil(now / hourMs) * hourMs + hours * hourMs);
}
