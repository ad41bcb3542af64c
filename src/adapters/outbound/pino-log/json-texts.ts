import { ownText } from '../../../domain/shared/own-text.js';
import { jsonText } from './printable-json.js';

const maximumTexts = 1_024;
/** Characters of one. */
const longestText = 256;

/** Texts that come again and again as strings of JSON: they are looked at once. So many are remembered, and no longer ones. */
export class JsonTexts {
  readonly #before: string;
  readonly #behind: string;
  readonly #known = new Map<string, string>();

  /** @param before what stands before each of them in a line; `behind` after it: a line of fewer pieces is put together sooner */
  constructor(before = '', behind = '') {
    this.#before = before;
    this.#behind = behind;
  }

  of(text: string | null): string {
    if (text === null) return `${this.#before}null${this.#behind}`;
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    if (text.length > longestText) return `${this.#before}${jsonText(text)}${this.#behind}`;
    const own = ownText(text);
    const json = ownText(`${this.#before}${jsonText(own)}${this.#behind}`);
    // Clients choose some of them: what they fill is emptied, and fills again with what comes often.
    if (this.#known.size >= maximumTexts) this.#known.clear();
    this.#known.set(own, json);
    return json;
  }
}
