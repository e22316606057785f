/**
 * The size of the starter weights, as the program and its documentation say it: that of the merged file, which is what
 * they take on the disk. The packages that carry them are half of that, and while they are merged both are there.
 */
export const starterBytes = 628_022_240;
export const starterSize = `${(starterBytes / 1e9).toFixed(1)} GB`;
