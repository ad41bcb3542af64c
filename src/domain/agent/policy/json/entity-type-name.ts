const namePattern = /^[A-Za-z_][A-Za-z0-9_]*(?:::[A-Za-z_][A-Za-z0-9_]*)*$/;
const reserved: ReadonlySet<string> = new Set([
  'true',
  'false',
  'if',
  'then',
  'else',
  'in',
  'is',
  'like',
  'has',
  '__cedar',
]);

/** Whether a text names an entity type as data has to write it: `User` or `Photos::Album`, no white space, no reserved word. */
export const isEntityTypeName = (text: string): boolean =>
  namePattern.test(text) && text.split('::').every((part) => !reserved.has(part));
