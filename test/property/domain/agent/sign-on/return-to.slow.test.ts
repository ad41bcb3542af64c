import { describe, expect, it } from 'vitest';
import { allowedReturn, returnTarget } from '../../../../../src/domain/agent/sign-on/return-target.js';
import { AllowedOrigins } from '../../../../../src/domain/http/allowed-origins.js';

const listed = new AllowedOrigins(['https://app.example', 'https://*.corp.example']);

/** A path of this host for every reader of URLs. */
const ownPage = /^\/(?![/\\])[!-~]*$/;
/** A page of a listed host. */
const listedPage = /^https:\/\/(?:app\.example|[a-z0-9_.-]+\.corp\.example)\/(?![/\\])[!-~]*$/;

/** Places where one character could change the host. */
const shapes: readonly ((character: string) => string)[] = [
  (character) => `${character}/evil.example`,
  (character) => `/${character}evil.example`,
  (character) => `/${character}/evil.example`,
  (character) => `https:${character}//evil.example`,
  (character) => `https://app.example${character}evil.example/`,
  (character) => `https://${character}.corp.example/`,
];

describe('a return target with any character of Unicode', () => {
  it('is a page of this host or of a listed one', { timeout: 300_000 }, () => {
    const wrong: string[] = [];
    for (let code = 0; code <= 0x10ffff; code += 1) {
      // Lone surrogates are characters of a text here.
      const character = code >= 0xd800 && code <= 0xdfff ? String.fromCharCode(code) : String.fromCodePoint(code);
      for (const shape of shapes) {
        const asked = shape(character);
        const target = allowedReturn(asked, listed);
        if (!ownPage.test(target) && !listedPage.test(target)) wrong.push(asked);
        if (!ownPage.test(returnTarget(asked))) wrong.push(asked);
      }
    }
    expect(wrong).toEqual([]);
  });
});
