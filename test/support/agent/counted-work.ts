import type { XmlElement } from '../../../src/domain/agent/xml/element-access.js';

const searched = (from: number, found: number, length: number): number =>
  (found < 0 ? length - from : found - from) + 1;

/**
 * How many characters are looked at while `work` runs, by the methods of strings and expressions that it calls: a
 * count that is the same on every machine. Cutting a piece out counts as one, as it copies nothing.
 */
export const charactersLookedAt = (work: () => void): number => {
  let count = 0;
  const { indexOf, includes, slice, startsWith, charCodeAt, charAt, toLowerCase } = String.prototype;
  const { exec } = RegExp.prototype;
  const originals = { indexOf, includes, slice, startsWith, charCodeAt, charAt, toLowerCase };
  const counting = {
    indexOf(this: string, text: string, from = 0) {
      const found = indexOf.call(this, text, from);
      count += searched(from, found, this.length);
      return found;
    },
    includes(this: string, text: string, from = 0) {
      const found = indexOf.call(this, text, from);
      count += searched(from, found, this.length);
      return found >= 0;
    },
    slice(this: string, start?: number, end?: number) {
      count += 1;
      return slice.call(this, start, end);
    },
    startsWith(this: string, text: string, from?: number) {
      count += text.length;
      return startsWith.call(this, text, from);
    },
    charCodeAt(this: string, index: number) {
      count += 1;
      return charCodeAt.call(this, index);
    },
    charAt(this: string, index: number) {
      count += 1;
      return charAt.call(this, index);
    },
    toLowerCase(this: string) {
      count += this.length;
      return toLowerCase.call(this);
    },
  };
  Object.assign(String.prototype, counting);
  // `test` goes through `exec` once that is not the built-in one.
  RegExp.prototype.exec = function (this: RegExp, text: string) {
    const found = exec.call(this, text);
    // One that is not sticky looks from the start on; one that is looks no further than what it matches.
    count += this.sticky ? (found?.[0].length ?? 0) + 1 : text.length + 1;
    return found;
  };
  try {
    work();
  } finally {
    Object.assign(String.prototype, originals);
    RegExp.prototype.exec = exec;
  }
  return count;
};

/** A tree like the one given, and how often a part of one of its elements has been asked for. */
export const countedTree = (root: XmlElement): { readonly root: XmlElement; readonly count: () => number } => {
  let count = 0;
  const counted = (element: XmlElement): XmlElement => {
    const children = element.children.map((child) => (typeof child === 'string' ? child : counted(child)));
    return new Proxy(
      { ...element, children },
      {
        get: (target, key) => {
          // Whoever asks for children or attributes walks them.
          if (key === 'children') count += target.children.length;
          if (key === 'attributes') count += target.attributes.length;
          count += 1;
          return Reflect.get(target, key);
        },
      },
    );
  };
  return { root: counted(root), count: () => count };
};
