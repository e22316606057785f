import { hairpin, height, middle, strokes, width } from "./fade-shape.ts";

export function FadeFigure({ className }: { className?: string }) {
  return (
    <svg
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      fill="none"
      aria-hidden
      className={className}
    >
      {strokes.map(({ x, half, opacity }) => (
        <line
          key={x}
          x1={x}
          x2={x}
          y1={middle - half}
          y2={middle + half}
          strokeOpacity={opacity}
          vectorEffect="non-scaling-stroke"
          className="stroke-accent"
          strokeWidth="1.5"
          strokeLinecap="round"
        />
      ))}
      <path
        d={hairpin}
        stroke="currentColor"
        strokeWidth="1.25"
        strokeLinecap="round"
        vectorEffect="non-scaling-stroke"
      />
    </svg>
  );
}
