import type { GatewayConfiguration } from '../../../domain/gateway/configuration/gateway-configuration.js';
import { maxFixedBodyOctets } from '../../../domain/gateway/route-transforms/fixed-response.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import { utf8Length } from '../../../domain/shared/utf8.js';
import type { TextFileReader } from '../../ports/shared/text-file-reader.js';

const readBody = async (path: string, files: TextFileReader): Promise<Result<string, string>> => {
  const text = await files.read(path);
  if (!text.ok || utf8Length(text.value) <= maxFixedBodyOctets) return text;
  return err(`is larger than ${maxFixedBodyOctets} bytes`);
};

/**
 * Reads the files of all `respond` routes, each once. The texts are by path. Returns all errors. Each names the route
 * and the file.
 */
export const readFixedBodies = async (
  { routes }: Pick<GatewayConfiguration, 'routes'>,
  files: TextFileReader,
): Promise<Result<ReadonlyMap<string, string>, readonly string[]>> => {
  const bodies = new Map<string, string>();
  const errors: string[] = [];
  for (const { id, respond } of routes) {
    if (respond?.body?.kind !== 'file' || bodies.has(respond.body.path)) continue;
    const { path } = respond.body;
    const body = await readBody(path, files);
    if (body.ok) bodies.set(path, body.value);
    else errors.push(`route "${id}": body-file: the file ${path} ${body.error}`);
  }
  return errors.length > 0 ? err(errors) : ok(bodies);
};
