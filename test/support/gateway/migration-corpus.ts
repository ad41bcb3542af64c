import { readdirSync, readFileSync } from 'node:fs';
import type { RoutableRequest } from '../../../src/domain/gateway/routing/route-matches.js';

/** A request, and the route that somebody who reads the old file says it has; null: none. */
export interface RoutedRequest {
  readonly line: string;
  readonly request: RoutableRequest;
  readonly route: string | null;
}

/** A file of an earlier version, what it becomes, and what it means. */
export interface MigrationCase {
  readonly name: string;
  readonly path: string;
  readonly old: string;
  readonly expected: string;
  readonly requests: readonly RoutedRequest[];
}

const folder = 'test/corpus/migration/';

/** `METHOD HOST TARGET ROUTE name:value...` */
const routedRequest = (line: string): RoutedRequest => {
  const [method = '', host = '', target = '', route = '-', ...headers] = line.split(' ');
  const [path = '', query] = target.split('?');
  return {
    line,
    request: {
      method,
      host,
      path,
      query: query ?? null,
      headers: headers.flatMap((header) => header.split(':')),
      scheme: 'http',
    },
    route: route === '-' ? null : route,
  };
};

/** The files of the corpus, by name. */
export const migrationCorpus = (): readonly MigrationCase[] =>
  readdirSync(folder)
    .filter((file) => file.endsWith('.kdl') && !file.endsWith('.expected.kdl'))
    .map((file) => {
      const path = `${folder}${file}`;
      const read = (ending: string): string => readFileSync(path.replace(/\.kdl$/, ending), 'utf8');
      const requests = read('.routes')
        .split('\n')
        .filter((line) => line !== '');
      return {
        name: file.replace(/\.kdl$/, ''),
        path,
        old: read('.kdl'),
        expected: read('.expected.kdl'),
        requests: requests.map(routedRequest),
      };
    });
