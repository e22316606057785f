/**
 * The identity drawn large: a voice inside a diminuendo hairpin that closes on the niente circle. The strokes
 * follow a fixed curve, so that the picture is the same everywhere.
 */
export const width = 1200;
export const height = 180;
export const middle = height / 2;
/** Where the two lines would meet, just behind the circle. */
const tip = 1235;
const count = 140;

/** From left to right: where each stands, how far it reaches up and down, and how strong it is. */
export const strokes = Array.from({ length: count }, (_, position) => {
  const along = position / count;
  const x = 14 + along * (width - 30);
  return { x, half: voice(position) * envelope(x) * 0.86, opacity: 0.95 - along * 0.55 };
});

export const hairpin = `M2 4 L${width} ${middle - 2.5} M2 ${height - 4} L${width} ${middle + 2.5}`;

/** How far the hairpin is open at x, from its middle line. */
function envelope(x: number): number {
  return (middle - 4) * (1 - x / tip);
}

/** Between 0.12 and 1: syllables, as three slow waves that never meet in the same place. */
function voice(position: number): number {
  const syllable = Math.abs(Math.sin(position * 0.31) * Math.sin(position * 0.083 + 1.1));
  const grain = 0.5 + 0.5 * Math.sin(position * 2.39);
  return 0.12 + 0.88 * Math.min(1, syllable * (0.55 + 0.6 * grain));
}
