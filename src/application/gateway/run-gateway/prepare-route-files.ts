import type { GatewayConfiguration } from '../../../domain/gateway/configuration/gateway-configuration.js';
import {
  type ErrorPageTemplate,
  errorPagePlaceholders,
  maxErrorPageOctets,
  parseErrorPage,
} from '../../../domain/gateway/error-pages/error-page.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import { utf8Length } from '../../../domain/shared/utf8.js';
import type { TextFileReader } from '../../ports/shared/text-file-reader.js';
import { readFixedBodies } from './read-fixed-bodies.js';

/** The files that routes use, read when the configuration loads. */
export interface RouteFiles {
  /** By path. */
  readonly errorPages: ReadonlyMap<string, ErrorPageTemplate>;
  /** The texts of `body-file`, by path. */
  readonly fixedBodies: ReadonlyMap<string, string>;
}

const readErrorPage = async (path: string, files: TextFileReader): Promise<Result<ErrorPageTemplate, string>> => {
  const text = await files.read(path);
  if (!text.ok) return text;
  if (utf8Length(text.value) > maxErrorPageOctets) return err(`is larger than ${maxErrorPageOctets} bytes`);
  if (text.value.trim() === '') return err('is empty: write the HTML of the page');
  const page = parseErrorPage(text.value);
  const known = errorPagePlaceholders.map((name) => `{${name}}`).join(', ');
  return page.ok ? page : err(`is no template: ${page.error}; use ${known}, or write {{ for a brace`);
};

const readErrorPages = async (
  { errorPageFile, routes, unrouted }: GatewayConfiguration,
  files: TextFileReader,
): Promise<Result<ReadonlyMap<string, ErrorPageTemplate>, readonly string[]>> => {
  const owners = new Map<string, string>();
  if (errorPageFile !== null) owners.set(errorPageFile, 'error-pages');
  if (unrouted.errorPageFile !== null) owners.set(unrouted.errorPageFile, 'defaults: error-pages');
  for (const { id, policies } of routes) {
    const path = policies.errorPageFile;
    if (path !== null && !owners.has(path)) owners.set(path, `route "${id}": error-pages`);
  }
  const errors: string[] = [];
  const errorPages = new Map<string, ErrorPageTemplate>();
  for (const [path, owner] of owners) {
    const page = await readErrorPage(path, files);
    if (page.ok) errorPages.set(path, page.value);
    else errors.push(`${owner}: template-file ${path} ${page.error}`);
  }
  return errors.length > 0 ? err(errors) : ok(errorPages);
};

/** Reads the files that routes use. Returns all errors. Each names the key and the file. */
export const prepareRouteFiles = async (
  configuration: GatewayConfiguration,
  files: TextFileReader,
): Promise<Result<RouteFiles, readonly string[]>> => {
  const errorPages = await readErrorPages(configuration, files);
  const fixedBodies = await readFixedBodies(configuration, files);
  if (errorPages.ok && fixedBodies.ok) return ok({ errorPages: errorPages.value, fixedBodies: fixedBodies.value });
  return err([errorPages, fixedBodies].flatMap((read) => (read.ok ? [] : read.error)));
};
