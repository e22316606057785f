/**
 * The identity drawn large: a voice inside a diminuendo hairpin that closes on the niente circle. The strokes
 * follow a fixed curve, so that the picture is the same on every visit.
 */
const width = 1200;
const height = 180;
const middle = height / 2;
/** Where the two lines would meet, just behind the circle. */
const tip = 1235;
const strokes = 140;

export function FadeFigure({ className }: { className?: string }) {
  return (
    <svg
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      fill="none"
      aria-hidden
      className={className}
    >
      {Array.from({ length: strokes }, (_, position) => {
        const along = position / strokes;
        const x = 14 + along * (width - 30);
        const half = voice(position) * envelope(x) * 0.86;
        return (
          <line
            key={position}
            x1={x}
            x2={x}
            y1={middle - half}
            y2={middle + half}
            strokeOpacity={0.95 - along * 0.55}
            vectorEffect="non-scaling-stroke"
            className="stroke-accent"
            strokeWidth="1.5"
            strokeLinecap="round"
          />
        );
      })}
      <path
        d={`M2 4 L${width} ${middle - 2.5} M2 ${height - 4} L${width} ${middle + 2.5}`}
        stroke="currentColor"
        strokeWidth="1.25"
        strokeLinecap="round"
        vectorEffect="non-scaling-stroke"
      />
    </svg>
  );
}

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
