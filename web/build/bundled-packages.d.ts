export function noteBundled(file: string, paths: readonly string[]): void;
