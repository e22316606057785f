export interface StartProgress {
  build: (done: number, total: number) => void;
  weights: (doneBytes: number, totalBytes: number) => void;
  notice: (sentence: string) => void;
  handOver: () => void;
  stop: () => void;
}

export function startProgress(size?: string, stream?: NodeJS.WriteStream): Promise<StartProgress>;
