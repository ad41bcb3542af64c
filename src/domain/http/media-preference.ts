import { listMembers, trimSpace } from './field-syntax.js';
import { allHeaders, type HeaderList } from './header-list.js';

/** The weight of a media range (RFC 9110, section 12.4.2). A malformed weight counts as 0. */
const weightOf = (parameters: readonly string[]): number => {
  for (const parameter of parameters) {
    const [name = '', value = ''] = parameter.split('=', 2).map(trimSpace);
    if (name.toLowerCase() === 'q') return /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(value) ? Number(value) : 0;
  }
  return 1;
};

/** How specific a range is for a media type (RFC 9110, section 12.5.1); 0: it does not match. */
const specificity = (range: string, type: string): number => {
  if (range === type) return 3;
  if (range === `${type.slice(0, type.indexOf('/'))}/*`) return 2;
  return range === '*/*' ? 1 : 0;
};

interface WeightedRange {
  readonly range: string;
  readonly weight: number;
}

/** The weight of a media type: that of its most specific range, or 0. */
const weightFor = (type: string, ranges: readonly WeightedRange[]): number => {
  let best = 0;
  let weight = 0;
  for (const each of ranges) {
    const found = specificity(each.range, type);
    if (found <= best) continue;
    best = found;
    weight = each.weight;
  }
  return weight;
};

/**
 * Whether the Accept fields of a request prefer `text/html` to JSON (RFC 9110, section 12.5.1). False without an
 * Accept field, and for equal weights.
 */
export const prefersHtml = (headers: HeaderList): boolean => {
  const ranges = allHeaders(headers, 'accept')
    .flatMap(listMembers)
    .map((member): WeightedRange => {
      const [range = '', ...parameters] = member.split(';');
      return { range: trimSpace(range).toLowerCase(), weight: weightOf(parameters) };
    });
  const html = weightFor('text/html', ranges);
  const json = Math.max(weightFor('application/problem+json', ranges), weightFor('application/json', ranges));
  return html > json;
};
