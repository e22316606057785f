/**
 * What `model_json_schema` of Pydantic 2 writes for ordinary fields, by their annotation, and for whole models.
 * Written by hand from its documentation.
 */
type Schema = Record<string, unknown>;

const decimal = (digits: string): Schema => ({
  anyOf: [{ type: "number" }, { type: "string", pattern: `^(?!^[-+.]*$)[+-]?0*${digits}` }],
  title: "Amount",
});
const anyDecimal = "\\d*\\.?\\d*$";

/** Each is the schema of one field. */
const fields: Record<string, Schema> = {
  str: { title: "A", type: "string" },
  int: { title: "A", type: "integer" },
  float: { title: "A", type: "number" },
  bool: { title: "A", type: "boolean" },
  None: { title: "A", type: "null" },
  Any: { title: "A" },
  bytes: { format: "binary", title: "A", type: "string" },
  "Optional[str]": { anyOf: [{ type: "string" }, { type: "null" }], default: null, title: "A" },
  "str = 'x'": { default: "x", title: "A", type: "string" },
  "int | str": { anyOf: [{ type: "integer" }, { type: "string" }], title: "A" },
  "conint(ge=1, le=10)": { maximum: 10, minimum: 1, title: "A", type: "integer" },
  "conint(gt=0, lt=100)": { exclusiveMaximum: 100, exclusiveMinimum: 0, title: "A", type: "integer" },
  "conint(multiple_of=5)": { multipleOf: 5, title: "A", type: "integer" },
  "confloat(ge=0, le=1)": { maximum: 1, minimum: 0, title: "A", type: "number" },
  "confloat(multiple_of=0.5)": { multipleOf: 0.5, title: "A", type: "number" },
  PositiveInt: { exclusiveMinimum: 0, title: "A", type: "integer" },
  NonNegativeFloat: { minimum: 0, title: "A", type: "number" },
  "constr(min_length=1, max_length=50)": { maxLength: 50, minLength: 1, title: "A", type: "string" },
  "constr(pattern=…)": { pattern: "^[a-z0-9_-]{3,15}$", title: "A", type: "string" },
  "constr(pattern=…, max_length=10)": {
    maxLength: 10,
    pattern: "^[a-z]+(-[a-z]+)*$",
    title: "A",
    type: "string",
  },
  "Annotated[str, Field(examples=…)]": { description: "A text", examples: ["a"], title: "A", type: "string" },
  Decimal: decimal(anyDecimal),
  "condecimal(decimal_places=2)": decimal("\\d*\\.?\\d{0,2}0*$"),
  "condecimal(max_digits=5)": decimal("(?:\\d{0,5}|(?=[\\d.]{1,6}0*$)\\d*\\.\\d*0*$)"),
  "condecimal(max_digits=6, decimal_places=2)": decimal(
    "(?:\\d{0,4}|(?=[\\d.]{1,7}0*$)\\d{0,4}\\.\\d{0,2}0*$)",
  ),
  "Decimal, serialized": { pattern: `^(?!^[-+.]*$)[+-]?0*${anyDecimal}`, title: "A", type: "string" },
  EmailStr: { format: "email", title: "A", type: "string" },
  NameEmail: { format: "name-email", title: "A", type: "string" },
  HttpUrl: { format: "uri", maxLength: 2083, minLength: 1, title: "A", type: "string" },
  AnyUrl: { format: "uri", minLength: 1, title: "A", type: "string" },
  PostgresDsn: { format: "multi-host-uri", minLength: 1, title: "A", type: "string" },
  UUID: { format: "uuid", title: "A", type: "string" },
  UUID1: { format: "uuid1", title: "A", type: "string" },
  UUID4: { format: "uuid4", title: "A", type: "string" },
  datetime: { format: "date-time", title: "A", type: "string" },
  date: { format: "date", title: "A", type: "string" },
  time: { format: "time", title: "A", type: "string" },
  timedelta: { format: "duration", title: "A", type: "string" },
  IPv4Address: { format: "ipv4", title: "A", type: "string" },
  IPv6Address: { format: "ipv6", title: "A", type: "string" },
  IPv4Network: { format: "ipv4network", title: "A", type: "string" },
  IPv4Interface: { format: "ipv4interface", title: "A", type: "string" },
  IPvAnyAddress: { format: "ipvanyaddress", title: "A", type: "string" },
  Path: { format: "path", title: "A", type: "string" },
  SecretStr: { format: "password", title: "A", type: "string", writeOnly: true },
  Base64Str: { format: "base64", title: "A", type: "string" },
  Base64UrlStr: { format: "base64url", title: "A", type: "string" },
  Json: {
    contentMediaType: "application/json",
    contentSchema: { type: "integer" },
    title: "A",
    type: "string",
  },
  Color: { format: "color", title: "A", type: "string" },
  ByteSize: { minimum: 0, title: "A", type: "integer" },
  "Pattern[str]": { format: "regex", title: "A", type: "string" },
  "list[int]": { items: { type: "integer" }, title: "A", type: "array" },
  list: { items: {}, title: "A", type: "array" },
  "conlist(str, min_length=1, max_length=3)": {
    items: { type: "string" },
    maxItems: 3,
    minItems: 1,
    title: "A",
    type: "array",
  },
  "set[Literal['a', 'b', 'c']]": {
    items: { enum: ["a", "b", "c"], type: "string" },
    title: "A",
    type: "array",
    uniqueItems: true,
  },
  "set[bool]": { items: { type: "boolean" }, title: "A", type: "array", uniqueItems: true },
  "tuple[int, str]": {
    maxItems: 2,
    minItems: 2,
    prefixItems: [{ type: "integer" }, { type: "string" }],
    title: "A",
    type: "array",
  },
  "tuple[int, ...]": { items: { type: "integer" }, title: "A", type: "array" },
  "tuple[()]": { maxItems: 0, minItems: 0, title: "A", type: "array" },
  "dict[str, int]": { additionalProperties: { type: "integer" }, title: "A", type: "object" },
  dict: { additionalProperties: true, title: "A", type: "object" },
  "dict[Literal['a', 'b'], int]": {
    additionalProperties: { type: "integer" },
    propertyNames: { enum: ["a", "b"] },
    title: "A",
    type: "object",
  },
  "dict[Literal['a'], int]": {
    additionalProperties: { type: "integer" },
    propertyNames: { const: "a" },
    title: "A",
    type: "object",
  },
  "dict[UUID, int]": {
    additionalProperties: { type: "integer" },
    propertyNames: { format: "uuid" },
    title: "A",
    type: "object",
  },
  "dict[constr(pattern=…), int]": {
    patternProperties: { "^[a-z]+$": { type: "integer" } },
    title: "A",
    type: "object",
  },
  "dict[str, str], max_length=3": {
    additionalProperties: { type: "string" },
    maxProperties: 3,
    minProperties: 1,
    title: "A",
    type: "object",
  },
  "Literal['a']": { const: "a", title: "A", type: "string" },
  "Literal['a', 1, None]": { enum: ["a", 1, null], title: "A" },
  "deprecated field": { deprecated: true, title: "A", type: "string" },
};

const pet = (kind: string, field: string): Schema => ({
  properties: {
    kind: { const: kind, default: kind, title: "Kind", type: "string" },
    [field]: { title: field, type: "integer" },
  },
  required: [field],
  title: kind,
  type: "object",
});

/** Whole models, with what only those have. */
const models: Record<string, Schema> = {
  Enum: {
    $defs: { Color: { description: "A color.", enum: ["red", "green"], title: "Color", type: "string" } },
    properties: { color: { $ref: "#/$defs/Color" } },
    required: ["color"],
    title: "Model",
    type: "object",
  },
  "Enum with a default": {
    $defs: { Level: { enum: [1, 2, 3], title: "Level", type: "integer" } },
    properties: { level: { $ref: "#/$defs/Level", default: 1, description: "How much." } },
    title: "Model",
    type: "object",
  },
  "set[Enum]": {
    $defs: { Color: { enum: ["red", "green", "blue"], title: "Color", type: "string" } },
    properties: {
      colors: {
        items: { $ref: "#/$defs/Color" },
        minItems: 1,
        maxItems: 2,
        title: "C",
        type: "array",
        uniqueItems: true,
      },
    },
    required: ["colors"],
    title: "Model",
    type: "object",
  },
  "nested models": {
    $defs: {
      Address: {
        properties: {
          city: { title: "City", type: "string" },
          zip: { maxLength: 5, minLength: 5, type: "string" },
        },
        required: ["city", "zip"],
        title: "Address",
        type: "object",
      },
    },
    properties: {
      name: { title: "Name", type: "string" },
      address: { $ref: "#/$defs/Address" },
      former: { items: { $ref: "#/$defs/Address" }, title: "Former", type: "array" },
      work: { anyOf: [{ $ref: "#/$defs/Address" }, { type: "null" }], default: null },
    },
    required: ["name", "address", "former"],
    title: "Model",
    type: "object",
  },
  "recursive model": {
    $defs: {
      Node: {
        properties: {
          value: { title: "Value", type: "integer" },
          children: { default: [], items: { $ref: "#/$defs/Node" }, title: "Children", type: "array" },
          parent: { anyOf: [{ $ref: "#/$defs/Node" }, { type: "null" }], default: null },
        },
        required: ["value"],
        title: "Node",
        type: "object",
      },
    },
    $ref: "#/$defs/Node",
  },
  "discriminated union": {
    $defs: { Cat: pet("cat", "lives"), Dog: pet("dog", "tricks") },
    properties: {
      pet: {
        discriminator: { mapping: { cat: "#/$defs/Cat", dog: "#/$defs/Dog" }, propertyName: "kind" },
        oneOf: [{ $ref: "#/$defs/Cat" }, { $ref: "#/$defs/Dog" }],
        title: "Pet",
      },
    },
    required: ["pet"],
    title: "Model",
    type: "object",
  },
  "union of models": {
    $defs: { Cat: pet("cat", "lives"), Dog: pet("dog", "tricks") },
    properties: { pet: { anyOf: [{ $ref: "#/$defs/Cat" }, { $ref: "#/$defs/Dog" }], title: "Pet" } },
    required: ["pet"],
    title: "Model",
    type: "object",
  },
  "extra forbidden": {
    additionalProperties: false,
    properties: { a: { type: "string" } },
    title: "Model",
    type: "object",
  },
  "extra allowed": {
    additionalProperties: true,
    properties: { a: { type: "string" } },
    title: "Model",
    type: "object",
  },
  "root model": { items: { type: "integer" }, title: "Numbers", type: "array" },
  "before 2.10": {
    $defs: {
      Address: {
        properties: { city: { type: "string" } },
        required: ["city"],
        title: "Address",
        type: "object",
      },
    },
    properties: {
      address: { allOf: [{ $ref: "#/$defs/Address" }], default: { city: "x" }, description: "Where." },
    },
    title: "Model",
    type: "object",
  },
  "Pydantic 1": {
    definitions: { Color: { title: "Color", enum: ["red"], type: "string" } },
    properties: {
      color: { $ref: "#/definitions/Color" },
      point: { type: "array", minItems: 2, maxItems: 2, items: [{ type: "number" }, { type: "number" }] },
    },
    required: ["color", "point"],
    title: "Model",
    type: "object",
  },
};

const asModel = (field: Schema): Schema => ({
  properties: { a: field },
  required: ["a"],
  title: "Model",
  type: "object",
});

export const pydanticZoo: Readonly<Record<string, Schema>> = {
  ...Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, asModel(field)])),
  ...models,
};
