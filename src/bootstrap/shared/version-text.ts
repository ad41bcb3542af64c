import { programVersion } from './version.js';

/** The text of `--version` after the program's name. `--verbose` adds Node.js and the socket layer. */
export const versionText = async (argv: readonly string[]): Promise<string> => {
  if (!argv.includes('--version') || !argv.includes('--verbose')) return programVersion;
  const { SocketLayerSelector } = await import('../../adapters/stream-sockets/socket-layer-selector.js');
  const layers = new SocketLayerSelector();
  const chosen = await layers.choose('auto');
  const reason = chosen.ok && chosen.value !== null ? ` (${chosen.value})` : '';
  return `${programVersion}\nNode.js ${process.version}\nsockets: ${layers.name}${reason}`;
};
