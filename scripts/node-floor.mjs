// Imported first by every script: says in one line what an old Node would otherwise say in a stack of syntax errors.
const floorMajor = 20;
const floorMinor = 19;
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

if (major < floorMajor || (major === floorMajor && minor < floorMinor)) {
  console.error(`Portcullis needs Node ${floorMajor}.${floorMinor} or newer; this is Node ${process.versions.node}.`);
  process.exit(1);
}
