import { checkedText, type ScalarKind } from './scalar-kind.js';

/**
 * Path of a PEM file. A key that was put where its path belongs has line breaks: its text is not shown, here or by whoever
 * opens it.
 */
export const pemFilePath = checkedText('path', (value) =>
  /[\x00-\x1f\x7f]|-----BEGIN/.test(value)
    ? {
        message: 'must be the path of a file, not what the file holds',
        suggestion: 'write the path itself, without (file)',
      }
    : null,
);

/** Whoever pastes the key itself must not find it in a message, so no line with this key is shown whole. */
export const keyFilePath: ScalarKind<string> = { ...pemFilePath, secret: true };
