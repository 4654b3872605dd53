import { closeSync, constants, fstatSync, openSync, readSync, realpathSync } from "node:fs";
import { open, realpath } from "node:fs/promises";

/** Reason why a file was not read. The message continues a sentence that begins with "the file". */
export class FileRefused extends Error {}

const CHUNK_BYTES = 65_536;
/** Opening a FIFO waits for its writer unless this flag is set. It has no effect on a regular file. */
const READ_WITHOUT_WAITING = constants.O_RDONLY | constants.O_NONBLOCK;

/**
 * Returns the bytes of a regular file with at most `most` bytes. Every file that a commit or a configuration names is
 * read by this function. FIFOs, devices and files of the kernel (/proc, /sys) are refused without waiting.
 * @throws FileRefused, or the error of the system if the file cannot be opened
 */
export async function readRegularFile(path: string, most: number): Promise<Buffer> {
  refuseKernelFile(await realpath(path));
  const handle = await open(path, READ_WITHOUT_WAITING);
  try {
    refuseUnlessRegular(await handle.stat(), most);
    const chunks: Buffer[] = [];
    // A file can grow while it is read, so its size is not trusted.
    for (let length = 0; ; ) {
      const { bytesRead, buffer } = await handle.read({ buffer: Buffer.allocUnsafe(CHUNK_BYTES) });
      if (bytesRead === 0) return Buffer.concat(chunks);
      length += bytesRead;
      if (length > most) throw tooLarge(most);
      chunks.push(buffer.subarray(0, bytesRead));
    }
  } finally {
    await handle.close();
  }
}

/** Same as `readRegularFile`, for callers that cannot wait. */
export function readRegularFileSync(path: string, most: number): Buffer {
  refuseKernelFile(realpathSync(path));
  const file = openSync(path, READ_WITHOUT_WAITING);
  try {
    refuseUnlessRegular(fstatSync(file), most);
    const chunks: Buffer[] = [];
    for (let length = 0; ; ) {
      const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
      const bytesRead = readSync(file, buffer);
      if (bytesRead === 0) return Buffer.concat(chunks);
      length += bytesRead;
      if (length > most) throw tooLarge(most);
      chunks.push(buffer.subarray(0, bytesRead));
    }
  } finally {
    closeSync(file);
  }
}

/** Returns why a file could not be read: the reason of `FileRefused`, or the code of the system. Never content of the file. */
export function whyUnread(error: unknown): string {
  if (error instanceof FileRefused) return error.message;
  const { code } = error as { readonly code?: unknown };
  return typeof code === "string" ? code : "unknown reason";
}

/** Files of the kernel claim to be regular. They contain the environment of this process, and some are endless. */
function refuseKernelFile(realPath: string): void {
  if (/^\/(?:proc|sys)(?:\/|$)/.test(realPath)) throw new FileRefused("belongs to the kernel");
}

function refuseUnlessRegular(found: { readonly size: number; isFile(): boolean }, most: number): void {
  if (!found.isFile()) throw new FileRefused("is not a regular file");
  if (found.size > most) throw tooLarge(most);
}

function tooLarge(most: number): FileRefused {
  return new FileRefused(`has more than ${most.toLocaleString("en")} bytes`);
}
