// Runs a program, compiled to WebAssembly (WASI preview 1), with arguments and files that exist only in this worker.
// It has no network, no clock but the browser's, and no file but those it is given. The page ends the worker if the
// program takes too long.
'use strict';

const ERRNO = { ok: 0, badFd: 8, noEntry: 44, notSupported: 52, notDirectory: 54, readOnly: 69 };
const FILE_TYPE = { characterDevice: 2, directory: 3, regularFile: 4 };
// The folder of the files, which the program finds open.
const FOLDER = 3;

class Exited extends Error {
  constructor(code) {
    super(`exit code ${code}`);
    this.code = code;
  }
}

self.addEventListener('message', async ({ data: { module, args, files } }) => {
  self.postMessage(await runModule(module, args, files));
});

// Returns the exit code and what was written to standard output and standard error, or the fault that ended the run.
// `files` has text or bytes for each name.
async function runModule(module, args, files) {
  const out = { 1: [], 2: [] };
  let memory = null;
  const imports = { wasi_snapshot_preview1: system(args, files, out, () => memory) };
  for (const { module: from, name } of WebAssembly.Module.imports(module)) {
    imports[from][name] ??= () => ERRNO.notSupported;
  }
  const instance = await WebAssembly.instantiate(module, imports);
  memory = instance.exports.memory;
  let exit = 0;
  try {
    instance.exports._start();
  } catch (error) {
    if (error instanceof Exited) exit = error.code;
    else return { exit: null, out: { 1: [], 2: out[2] }, fault: error.message };
  }
  return { exit, out };
}

function system(args, files, out, memory) {
  const encoder = new TextEncoder();
  const contents = new Map(Object.entries(files).map(([name, content]) => [
    name,
    typeof content === 'string' ? encoder.encode(content) : content,
  ]));
  const words = args.map((word) => encoder.encode(`${word}\0`));
  const open = new Map();
  let nextFd = FOLDER + 1;
  const view = () => new DataView(memory().buffer);
  const bytes = (at, length) => new Uint8Array(memory().buffer, at, length);
  const nameAt = (at, length) => new TextDecoder().decode(bytes(at, length)).replace(/^(\.?\/)+/, '');
  const isFolder = (name) => name === '' || name === '.';

  function filestat(at, type, size) {
    bytes(at, 64).fill(0);
    view().setUint8(at + 16, type);
    view().setBigUint64(at + 24, 1n, true);
    view().setBigUint64(at + 32, BigInt(size), true);
    return ERRNO.ok;
  }

  // Calls `each` with every buffer of a list, until it returns less than the buffer holds.
  function scatter(list, count, each) {
    let total = 0;
    for (let at = list; at < list + count * 8; at += 8) {
      const buffer = bytes(view().getUint32(at, true), view().getUint32(at + 4, true));
      const done = each(buffer);
      total += done;
      if (done < buffer.length) break;
    }
    return total;
  }

  return {
    args_sizes_get(count, size) {
      view().setUint32(count, words.length, true);
      view().setUint32(size, words.reduce((sum, word) => sum + word.length, 0), true);
      return ERRNO.ok;
    },
    args_get(list, buffer) {
      for (const word of words) {
        view().setUint32(list, buffer, true);
        bytes(buffer, word.length).set(word);
        list += 4;
        buffer += word.length;
      }
      return ERRNO.ok;
    },
    environ_sizes_get(count, size) {
      view().setUint32(count, 0, true);
      view().setUint32(size, 0, true);
      return ERRNO.ok;
    },
    environ_get: () => ERRNO.ok,
    clock_time_get(clock, precision, at) {
      const milliseconds = clock === 0 ? Date.now() : performance.now();
      view().setBigUint64(at, BigInt(Math.round(milliseconds * 1e6)), true);
      return ERRNO.ok;
    },
    random_get(at, length) {
      crypto.getRandomValues(bytes(at, length));
      return ERRNO.ok;
    },
    proc_exit(code) {
      throw new Exited(code);
    },
    sched_yield: () => ERRNO.ok,
    fd_write(fd, list, count, written) {
      if (!out[fd]) return ERRNO.badFd;
      const total = scatter(list, count, (buffer) => out[fd].push(buffer.slice()) && buffer.length);
      view().setUint32(written, total, true);
      return ERRNO.ok;
    },
    fd_read(fd, list, count, read) {
      const file = open.get(fd);
      if (!file && fd !== 0) return ERRNO.badFd;
      const total = !file ? 0 : scatter(list, count, (buffer) => {
        const part = file.content.subarray(file.at, file.at + buffer.length);
        buffer.set(part);
        file.at += part.length;
        return part.length;
      });
      view().setUint32(read, total, true);
      return ERRNO.ok;
    },
    fd_seek(fd, offset, whence, position) {
      const file = open.get(fd);
      if (!file) return ERRNO.badFd;
      file.at = Number(offset) + [0, file.at, file.content.length][whence];
      view().setBigUint64(position, BigInt(file.at), true);
      return ERRNO.ok;
    },
    fd_close: (fd) => (open.delete(fd) ? ERRNO.ok : ERRNO.badFd),
    fd_fdstat_get(fd, at) {
      if (fd > FOLDER && !open.has(fd)) return ERRNO.badFd;
      const type = fd < FOLDER ? FILE_TYPE.characterDevice : fd === FOLDER ? FILE_TYPE.directory : FILE_TYPE.regularFile;
      bytes(at, 24).fill(0);
      view().setUint8(at, type);
      view().setBigUint64(at + 8, ~0n & 0xffffffffffffffffn, true);
      view().setBigUint64(at + 16, ~0n & 0xffffffffffffffffn, true);
      return ERRNO.ok;
    },
    fd_filestat_get(fd, at) {
      const file = open.get(fd);
      if (file) return filestat(at, FILE_TYPE.regularFile, file.content.length);
      return fd <= FOLDER ? filestat(at, fd === FOLDER ? FILE_TYPE.directory : FILE_TYPE.characterDevice, 0) : ERRNO.badFd;
    },
    fd_prestat_get(fd, at) {
      if (fd !== FOLDER) return ERRNO.badFd;
      view().setUint32(at, 0, true);
      view().setUint32(at + 4, 1, true);
      return ERRNO.ok;
    },
    fd_prestat_dir_name(fd, at) {
      if (fd !== FOLDER) return ERRNO.badFd;
      bytes(at, 1)[0] = '.'.charCodeAt(0);
      return ERRNO.ok;
    },
    path_filestat_get(fd, flags, path, length, at) {
      const name = nameAt(path, length);
      if (isFolder(name)) return filestat(at, FILE_TYPE.directory, 0);
      const content = contents.get(name);
      return content ? filestat(at, FILE_TYPE.regularFile, content.length) : ERRNO.noEntry;
    },
    path_open(fd, flags, path, length, options, rights, inherited, fdFlags, opened) {
      const content = contents.get(nameAt(path, length));
      const creates = (options & 1) !== 0;
      if (!content) return creates ? ERRNO.readOnly : ERRNO.noEntry;
      if ((options & 2) !== 0) return ERRNO.notDirectory;
      open.set(nextFd, { content, at: 0 });
      view().setUint32(opened, nextFd, true);
      nextFd += 1;
      return ERRNO.ok;
    },
  };
}
