/** A time as a log says it: `20 ms`, `1.5 s`. */
export const waitText = (ms: number): string => {
  const whole = Math.round(ms);
  return whole < 1_000 ? `${whole} ms` : `${Math.round(whole / 100) / 10} s`;
};
