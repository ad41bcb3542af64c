import { describe, expect, it } from 'vitest';
import { refusalOf } from '../../../../../support/agent/verified-response.js';

describe('the Destination check', () => {
  it('requires a destination if the response is signed', () => {
    expect(refusalOf({ head: { destination: null, isSigned: true } })).toBe('wrong_destination');
    expect(refusalOf({ head: { destination: null, isSigned: false } })).toBeNull();
  });

  it.each([true, false])('requires our consumer endpoint (signed: %s)', (isSigned) => {
    expect(refusalOf({ head: { destination: 'https://app.example/saml/acs/', isSigned } })).toBe('wrong_destination');
    expect(refusalOf({ head: { destination: 'https://app.example.evil/saml/acs', isSigned } })).toBe(
      'wrong_destination',
    );
    expect(refusalOf({ head: { destination: '', isSigned } })).toBe('wrong_destination');
  });
});
