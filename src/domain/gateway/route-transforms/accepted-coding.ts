import { listMembers, trimSpace } from '../../http/field-syntax.js';
import { allHeaders, type HeaderList } from '../../http/header-list.js';

/** Content codings that the gateway can apply (RFC 9110, section 8.4.1; RFC 7932; RFC 8878). */
export const compressionCodings = ['br', 'gzip', 'zstd'] as const;
export type CompressionCoding = (typeof compressionCodings)[number];

/** `0.5`; at most three decimals (RFC 9110, section 12.4.2). */
const weightForm = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;

/** The weight of a member; 1 without one, 0 if it is invalid. */
const weightOf = (parameters: readonly string[]): number => {
  let weight = 1;
  for (const parameter of parameters) {
    const [name = '', value = ''] = parameter.split('=', 2).map(trimSpace);
    if (name.toLowerCase() === 'q') weight = weightForm.test(value) ? Math.min(weight, Number(value)) : 0;
  }
  return weight;
};

/** The weights of a request by coding, in lower case. A coding that is listed twice has the lower weight. */
const acceptedWeights = (headers: HeaderList): ReadonlyMap<string, number> => {
  const weights = new Map<string, number>();
  for (const member of allHeaders(headers, 'accept-encoding').flatMap(listMembers)) {
    const [name = '', ...parameters] = member.split(';');
    const lower = trimSpace(name).toLowerCase();
    // RFC 9110, section 8.4.1.3: x-gzip is another name of gzip.
    const coding = lower === 'x-gzip' ? 'gzip' : lower;
    weights.set(coding, Math.min(weights.get(coding) ?? 1, weightOf(parameters)));
  }
  return weights;
};

/**
 * The coding for a response: the one with the highest weight in Accept-Encoding, and of several the first in
 * `offered`. Null: send the response without a coding, because the client accepts none of them or prefers `identity`.
 * A client without Accept-Encoding gets no coding. RFC 9110, section 12.5.3.
 */
export const acceptedCoding = (
  requestHeaders: HeaderList,
  offered: readonly CompressionCoding[],
): CompressionCoding | null => {
  const weights = acceptedWeights(requestHeaders);
  const others = weights.get('*') ?? 0;
  let best: CompressionCoding | null = null;
  // A coding wins over identity at equal weight.
  let bestWeight = weights.get('identity') ?? others;
  for (const coding of offered) {
    const weight = weights.get(coding) ?? others;
    if (weight === 0 || weight < bestWeight || (weight === bestWeight && best !== null)) continue;
    best = coding;
    bestWeight = weight;
  }
  return best;
};
