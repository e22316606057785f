import { useEffect, useState } from "react";
import { isModelId, modelIds } from "../../../../src/core/models.js";
import { SearchInput } from "../../../components/controls/search-input.tsx";
import { Select } from "../../../components/controls/field.tsx";
import { useDebounced } from "../../../hooks/use-debounced.ts";
import type { KeysQuery } from "../../../service/queries.ts";

/** As in the address. */
type TypedKeyFilters = Record<"search" | "status" | "model" | "tag" | "sort" | "page", string>;

export const usualFilters: TypedKeyFilters = {
  ...{ search: "", status: "working", model: "", tag: "", sort: "newest", page: "0" },
};

const statuses = [
  { value: "working", label: "Working" },
  { value: "active", label: "Active" },
  { value: "disabled", label: "Disabled" },
  { value: "expiring", label: "Being replaced" },
  { value: "expired", label: "Expired" },
  { value: "revoked", label: "Revoked" },
  { value: "all", label: "All statuses" },
] as const;

const sorts = [
  { value: "newest", label: "Newest first" },
  { value: "oldest", label: "Oldest first" },
  { value: "name", label: "By name" },
  { value: "used", label: "Last used first" },
  { value: "unused", label: "Unused first" },
  { value: "expiry", label: "Expiring first" },
] as const;

interface KeyFiltersProps {
  value: TypedKeyFilters;
  onChange: (change: Partial<TypedKeyFilters>) => void;
  /** Every tag in use. */
  tags: readonly string[];
}

export function KeyFilters({ value, onChange, tags }: KeyFiltersProps) {
  const [typed, setTyped] = useState(value.search);
  const search = useDebounced(typed);
  useEffect(() => {
    if (search !== value.search) onChange({ search, page: "0" });
  }, [search]);
  // Cleared or set from elsewhere on the page; not while someone types.
  useEffect(() => {
    if (search !== value.search) setTyped(value.search);
  }, [value.search]);
  const choose = (name: keyof TypedKeyFilters) => (chosen: string) => onChange({ [name]: chosen, page: "0" });
  return (
    <div className="mb-4 grid grid-cols-2 gap-3 sm:grid-cols-4 xl:flex xl:items-center">
      <SearchInput
        label="Search keys"
        placeholder="Search by name or tag"
        className="col-span-full xl:w-64 xl:grow"
        value={typed}
        onChange={setTyped}
      />
      <Select aria-label="Status" value={value.status} onValue={choose("status")} options={statuses} />
      <Select
        aria-label="Model"
        value={value.model}
        onValue={choose("model")}
        options={[{ value: "", label: "All models" }, ...modelIds.map((id) => ({ value: id, label: id }))]}
      />
      <Select
        aria-label="Tag"
        className="xl:w-36"
        value={value.tag}
        onValue={choose("tag")}
        options={[{ value: "", label: "All tags" }, ...tags.map((tag) => ({ value: tag, label: tag }))]}
      />
      <Select aria-label="Sort" value={value.sort} onValue={choose("sort")} options={sorts} />
    </div>
  );
}

/** Invalid values in the address are ignored. */
export function toQuery({ search, status, model, tag, sort, page }: TypedKeyFilters): KeysQuery {
  return {
    ...(search.trim() === "" ? {} : { search: search.trim().slice(0, 200) }),
    ...(isModelId(model) ? { model } : {}),
    ...(tag === "" ? {} : { tag: tag.slice(0, 30) }),
    status: statuses.find((known) => known.value === status)?.value ?? "working",
    sort: sorts.find((known) => known.value === sort)?.value ?? "newest",
    page: /^\d{1,3}$/.test(page) ? Number(page) : 0,
  };
}

/** Whether a filter is set. Without one, only expired and revoked keys are hidden. */
export const isNarrowed = ({ search, status, model, tag }: TypedKeyFilters): boolean =>
  search.trim() !== "" || model !== "" || tag !== "" || (status !== "working" && status !== "all");
