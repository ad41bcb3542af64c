/**
 * The name of the only member of a oneof that a message has; null where it has none, or several: those cannot come from a
 * writer that keeps to the format, and readers differ in which of them counts.
 */
export const onlyMember = <Name extends string>(
  message: Readonly<Partial<Record<Name, unknown>>>,
  names: readonly Name[],
): Name | null => {
  let found: Name | null = null;
  for (const name of names) {
    if ((message[name] ?? null) === null) continue;
    if (found !== null) return null;
    found = name;
  }
  return found;
};
