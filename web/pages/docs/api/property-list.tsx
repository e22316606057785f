/** The fields of a schema, nested ones indented under their parent, with types and bounds in words. */
import { Markdown } from "../../../components/text/markdown.tsx";
import {
  constraints,
  innerSchema,
  propertiesOf,
  resolve,
  typeName,
  type OpenApi,
  type Schema,
} from "./openapi.ts";

/** References may be circular, so nesting is cut here. */
const deepest = 4;

interface PropertyListProps {
  document: OpenApi;
  schema: Schema | undefined;
  /** The prefix of each field's anchor. */
  anchor?: string | undefined;
  depth?: number;
}

export function PropertyList({ document, schema, anchor, depth = 0 }: PropertyListProps) {
  const resolved = resolve(document, schema);
  if (resolved === undefined) return null;
  const properties = propertiesOf(document, resolved);
  if (properties.length === 0) {
    return depth === 0 ? (
      <div className="text-sm text-muted">
        <Markdown>{resolved.description ?? typeName(document, schema ?? {})}</Markdown>
      </div>
    ) : null;
  }
  return (
    <ul
      className={
        depth === 0 ? "divide-y divide-line border-y border-line" : "mt-2 ml-1 border-l border-line pl-4"
      }
    >
      {properties.map((property) => (
        <PropertyRow key={property.name} document={document} anchor={anchor} depth={depth} {...property} />
      ))}
    </ul>
  );
}

interface PropertyRowProps {
  document: OpenApi;
  name: string;
  schema: Schema;
  required: boolean;
  anchor?: string | undefined;
  depth?: number;
}

export function PropertyRow({ document, name, schema, required, anchor, depth = 0 }: PropertyRowProps) {
  const resolved = resolve(document, schema) ?? schema;
  const values = resolved.const === undefined ? resolved.enum : [resolved.const];
  const description = schema.description ?? resolved.description;
  const inside = innerSchema(document, resolved);
  const id = anchor === undefined ? undefined : `${anchor}-${name}`;
  return (
    <li id={id} className={depth === 0 ? "py-3" : "py-1.5"}>
      <p className="flex flex-wrap items-baseline gap-x-3">
        <span className="font-mono text-sm font-medium">
          {id === undefined ? name : <a href={`#${id}`}>{name}</a>}
        </span>
        <span className="text-sm text-muted">
          {[typeName(document, schema), ...constraints(resolved)].join(" · ")}
        </span>
        {required && <span className="text-xs font-medium text-accent">required</span>}
      </p>
      {description !== undefined && (
        <div className="mt-0.5 text-sm text-muted">
          <Markdown>{description}</Markdown>
        </div>
      )}
      {values !== undefined && (
        <p className="mt-1.5 flex flex-wrap gap-1.5 text-sm">
          {values.map((value) => (
            <code key={String(value)} className="chip">
              {JSON.stringify(value)}
            </code>
          ))}
        </p>
      )}
      {depth < deepest && <PropertyList document={document} schema={inside} anchor={id} depth={depth + 1} />}
    </li>
  );
}
