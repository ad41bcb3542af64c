import type { HeaderList } from '../../../domain/http/header-list.js';
import { headerArrays } from '../agent-messages/field-kinds.js';
import type { JsonOctets } from './json-octets.js';

/** Longest list, in names and values, whose names are compared pairwise. */
const maxCompared = 128;

const hasRepeatedName = (headers: HeaderList): boolean => {
  for (let index = 2; index < headers.length; index += 2) {
    for (let earlier = 0; earlier < index; earlier += 2) if (headers[earlier] === headers[index]) return true;
  }
  return false;
};

/** Writes headers as JSON: an object with a list of values for each name. */
export const addHeaders = (into: JsonOctets, headers: HeaderList): void => {
  if (headers.length === 0 || headers.length > maxCompared || hasRepeatedName(headers)) {
    into.addText(JSON.stringify(headerArrays.toJson(headers)));
    return;
  }
  for (let index = 0; index < headers.length; index += 2) {
    into.addAscii(index === 0 ? '{' : '],');
    into.addString(headers[index] as string);
    into.addAscii(':[');
    into.addString(headers[index + 1] as string);
  }
  into.addAscii(']}');
};
