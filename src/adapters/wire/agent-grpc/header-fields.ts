import type { HeaderList } from '../../../domain/http/header-list.js';
import type { GrpcHeader } from './grpc-messages.js';

export const writeHeaderFields = (headers: HeaderList): GrpcHeader[] => {
  const fields: GrpcHeader[] = [];
  for (let index = 0; index + 1 < headers.length; index += 2) {
    fields.push({ name: headers[index] as string, value: headers[index + 1] as string });
  }
  return fields;
};

/** With the names as they came. */
export const readHeaderFields = (fields: readonly GrpcHeader[] | undefined): HeaderList => {
  const headers: string[] = [];
  for (const { name = '', value = '' } of fields ?? []) headers.push(name, value);
  return headers;
};
