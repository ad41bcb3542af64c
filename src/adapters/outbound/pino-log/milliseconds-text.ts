/** What stands behind the number for so many thousandths. */
const thousandths = Array.from({ length: 1_000 }, (_, count) => String(count / 1_000).slice(1));

/** Thousandths below this are integers that the engine adds and divides as such. */
const most = 2 ** 30;

/** Milliseconds to a microsecond, as JSON writes a number; it has no word for what is no number. */
export const millisecondsText = (value: number): string => {
  const rounded = Math.round(value * 1_000);
  if (!(rounded >= 0 && rounded < most)) return Number.isFinite(value) ? String(rounded / 1_000) : 'null';
  const whole = Math.floor(rounded / 1_000);
  return `${whole}${thousandths[rounded - whole * 1_000] as string}`;
};
