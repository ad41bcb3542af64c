/**
 * A value that must never be printed. Whatever turns it into text (JSON, a template, a log) sees `[secret]`;
 * only `reveal` gives the value.
 */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return '[secret]';
  }

  toJSON(): string {
    return '[secret]';
  }
}
