import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { IdleCollection } from "./idle-collection.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function counting(isIdle: () => boolean = () => true) {
  let collected = 0;
  const collection = new IdleCollection({
    isIdle,
    quietMs: 2_000,
    everyMs: 10_000,
    collect: () => {
      collected += 1;
    },
  });
  return { collection, collected: () => collected };
}

it("collects a few times, when nothing has happened for a while after some work", () => {
  const { collection, collected } = counting();
  vi.advanceTimersByTime(60_000);
  expect(collected()).toBe(0);
  collection.noteWork();
  vi.advanceTimersByTime(1_500);
  collection.noteWork();
  vi.advanceTimersByTime(1_500);
  expect(collected()).toBe(0);
  vi.advanceTimersByTime(2_000);
  expect(collected()).toBe(1);
  vi.advanceTimersByTime(600_000);
  expect(collected()).toBe(3);
});

it("leaves time between two collections", () => {
  const { collection, collected } = counting();
  collection.noteWork();
  vi.advanceTimersByTime(2_000);
  expect(collected()).toBe(1);
  collection.noteWork();
  vi.advanceTimersByTime(5_000);
  expect(collected()).toBe(1);
  vi.advanceTimersByTime(10_000);
  expect(collected()).toBe(2);
});

it("waits while something is running", () => {
  let isIdle = false;
  const { collection, collected } = counting(() => isIdle);
  collection.noteWork();
  vi.advanceTimersByTime(60_000);
  expect(collected()).toBe(0);
  isIdle = true;
  vi.advanceTimersByTime(2_000);
  expect(collected()).toBe(1);
});

it("stops when it is closed", () => {
  const { collection, collected } = counting();
  collection.noteWork();
  collection.close();
  vi.advanceTimersByTime(60_000);
  expect(collected()).toBe(0);
});
