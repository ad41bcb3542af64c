import { didYouMean } from '../../../domain/configuration/schema/did-you-mean.js';
import { misuse, only, parseProgram } from './parsed-program.js';
import type { SamlCommand } from './saml-command.js';
import { metadataProgram, samlProgram } from './saml-programs.js';

const name = 'gateway-auth saml';

const parseMetadata = (argv: readonly string[]): SamlCommand => {
  const parsed = parseProgram(`${name} metadata`, metadataProgram, argv);
  if (parsed.kind === 'say') return parsed;
  const configFile = only(parsed.values, 'config');
  if (configFile === null) return misuse(`${name} metadata`, 'error: --config FILE is missing');
  return { kind: 'metadata', configFile, agentName: only(parsed.values, 'agent') };
};

/** Reads what follows `gateway-auth saml`. Never throws, writes or ends the process. */
export const parseSamlArguments = (argv: readonly string[]): SamlCommand => {
  const [first = '', ...rest] = argv;
  if (first === 'metadata') return parseMetadata(rest);
  if (first === '' || first.startsWith('-')) {
    const parsed = parseProgram(name, samlProgram, argv);
    return parsed.kind === 'say' ? parsed : misuse(name, 'error: give a command: metadata');
  }
  const near = didYouMean(first, ['metadata']) ?? 'the only command is metadata';
  return misuse(name, `error: there is no command "${first.slice(0, 80)}"; ${near}`);
};
