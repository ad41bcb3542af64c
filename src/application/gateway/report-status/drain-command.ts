/** What is asked of one target of an upstream. */
export interface DrainCommand {
  readonly upstream: string;
  readonly address: string;
  readonly drained: boolean;
}

const prefix = '/admin/upstreams/';
const middle = '/targets/';

const decoded = (text: string): string | null => {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
};

/**
 * Reads `/admin/upstreams/<name>/targets/<address>/drain` or `/undrain`; null where the path is another. A `/` in a name
 * may be written as it is or as `%2F`.
 */
export const readDrainCommand = (path: string): DrainCommand | null => {
  if (!path.startsWith(prefix)) return null;
  const end = path.lastIndexOf('/');
  const action = path.slice(end + 1);
  const between = path.lastIndexOf(middle, end - 1);
  if ((action !== 'drain' && action !== 'undrain') || between < prefix.length) return null;
  const upstream = decoded(path.slice(prefix.length, between));
  const address = decoded(path.slice(between + middle.length, end));
  if (upstream === null || address === null || upstream === '' || address === '') return null;
  return { upstream, address, drained: action === 'drain' };
};
