const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
/** What each part counts, in the order of the parts; years and months as nobody needs them exactly. */
const unitsMs = [365 * dayMs, 30 * dayMs, dayMs, hourMs, minuteMs, secondMs] as const;

const form =
  /^P(?:(\d{1,6})Y)?(?:(\d{1,6})M)?(?:(\d{1,6})D)?(?:T(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9}(?:\.\d{1,9})?)S)?)?$/;

/** Milliseconds of an xs:duration (XML Schema Part 2, section 3.2.6) that is not negative; null: the text is none. */
export const parseXmlDuration = (text: string): number | null => {
  const parts = form.exec(text)?.slice(1);
  if (parts === undefined || text.endsWith('T') || parts.every((part) => part === undefined)) return null;
  return unitsMs.reduce((sum, unitMs, index) => sum + Number(parts[index] ?? 0) * unitMs, 0);
};
