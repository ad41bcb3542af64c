import { ownText } from '../../../domain/shared/own-text.js';
import { jsonText } from './printable-json.js';

const maximumTexts = 1_024;
/** Characters of one. */
const longestText = 256;

/** Texts that come again and again as strings of JSON: they are looked at once. So many are remembered, and no longer ones. */
export class JsonTexts {
  readonly #known = new Map<string, string>();

  of(text: string | null): string {
    if (text === null) return 'null';
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    if (text.length > longestText) return jsonText(text);
    const own = ownText(text);
    const json = ownText(jsonText(own));
    // Clients choose some of them: what they fill is emptied, and fills again with what comes often.
    if (this.#known.size >= maximumTexts) this.#known.clear();
    this.#known.set(own, json);
    return json;
  }
}
