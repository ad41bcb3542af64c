/** A reference to a variable or file in a notation other than `(env)"NAME"` and `(file)"/path"`. */
export interface ForeignReference {
  /** The replacement. */
  readonly instead: string;
  /** The reference is the whole text. */
  readonly isWhole: boolean;
  /** The text may also be a literal value that begins with a dollar sign. */
  readonly isAmbiguous: boolean;
}

/** Longer texts are not examined. */
const longest = 1024;

/** Notations of shells, Caddy, Go templates and others, and our own with the quotes in the wrong place. */
const wholes: readonly RegExp[] = [
  /^\$\{([A-Za-z_]\w*)(?:[:?+=-][^{}]*)?\}$/,
  /^\{\$([A-Za-z_]\w*)(?::[^{}]*)?\}$/,
  /^\{env\.([A-Za-z_]\w*)\}$/,
  /^\{\{\s*(?:env\s+["'`]?|\.Env\.|\$?env\.)([A-Za-z_]\w*)["'`]?\s*\}\}$/,
  /^(?:env|ENV):([A-Z_][A-Z0-9_]{2,})$/,
  /^\(env\)\s*"?([A-Za-z_]\w*)"?$/,
];

const part = /\$\{([A-Za-z_]\w*)\}|\{\$([A-Za-z_]\w*)\}|\{env\.([A-Za-z_]\w*)\}/;

const variable = (name: string, isWhole: boolean, isAmbiguous = false): ForeignReference => ({
  instead: `(env)"${name}"`,
  isWhole,
  isAmbiguous,
});

/** The foreign reference in a text; null: there is none. */
export const foreignReference = (text: string): ForeignReference | null => {
  if (text.length > longest || !/[${(]|^env/i.test(text)) return null;
  for (const whole of wholes) {
    const name = whole.exec(text)?.[1];
    if (name !== undefined) return variable(name, true);
  }
  const file = /^\(file\)\s*"?(\/[^"\s]+)"?$/.exec(text)?.[1];
  if (file !== undefined) return { instead: `(file)"${file}"`, isWhole: true, isAmbiguous: false };
  const bare = /^\$([A-Z_][A-Z0-9_]*)$/.exec(text)?.[1];
  if (bare !== undefined) return variable(bare, true, true);
  const found = /\s/.test(text) ? null : part.exec(text);
  const name = found?.[1] ?? found?.[2] ?? found?.[3];
  return name === undefined ? null : variable(name, false);
};
