import { allHeaders, type HeaderList } from '../../../domain/http/header-list.js';

const formType = 'application/x-www-form-urlencoded';

const mediaType = (value: string): string => {
  const end = value.indexOf(';');
  return (end < 0 ? value : value.slice(0, end)).trim().toLowerCase();
};

/** What the head of a request says against its body being a form, of `formOctets` at the most, that is read here; null: nothing. */
export const formHeadFault = (headers: HeaderList, formOctets: number): 'not_a_form' | 'too_large' | null => {
  const types = allHeaders(headers, 'content-type');
  if (types.length !== 1 || mediaType(types[0] as string) !== formType) return 'not_a_form';
  // A body that is compressed would be no form, and one that says no length is counted as it comes.
  if (allHeaders(headers, 'content-encoding').length > 0) return 'not_a_form';
  return allHeaders(headers, 'content-length').some((length) => Number(length) > formOctets) ? 'too_large' : null;
};
