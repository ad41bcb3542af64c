import { describe, expect, it } from 'vitest';
import { parseXmlDuration } from '../../../../../../src/domain/agent/saml/metadata/read-identity-provider.js';

describe('parseDuration', () => {
  it.each([
    ['PT1H', 3_600_000],
    ['P1D', 86_400_000],
    ['PT86400S', 86_400_000],
    ['P0Y0M1DT0H0M0.000S', 86_400_000],
    ['P1Y2M', (365 + 60) * 86_400_000],
    ['PT1M', 60_000],
    ['P1M', 30 * 86_400_000],
    ['PT0.5S', 500],
    ['P1DT12H30M5S', 131_405_000],
  ])('reads %s', (text, ms) => {
    expect(parseXmlDuration(text)).toBe(ms);
  });

  it.each([
    '',
    'P',
    'PT',
    'P1DT',
    '-P1D',
    '1D',
    'P1',
    'PT1',
    'P1S',
    'PT1D',
    'P1.5D',
    'P1D ',
    'p1d',
    `P${'1'.repeat(99)}D`,
  ])('refuses "%s"', (text) => {
    expect(parseXmlDuration(text)).toBeNull();
  });
});
