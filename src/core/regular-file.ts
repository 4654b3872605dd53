import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";

/** Why a file was not read, in words that follow "the file". */
export class FileRefused extends Error {}

const CHUNK_BYTES = 65_536;

/**
 * The bytes of a regular file, `most` of them at the longest. What somebody else can write may be a pipe that never ends, a
 * device or a file that grows: neither is waited for, and no more is read than allowed.
 * @throws FileRefused for what is no regular file or is too large, and the system's error for what cannot be opened.
 */
export async function readRegularFile(path: string, most: number): Promise<Buffer> {
  // Opening a pipe waits for its writer unless told not to; for a file the flag means nothing.
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const { size } = await regular(handle);
    if (size > most) throw tooLarge(most);
    return await readUpTo(handle, most);
  } finally {
    await handle.close();
  }
}

async function regular(handle: FileHandle): Promise<{ readonly size: number }> {
  const found = await handle.stat();
  if (!found.isFile()) throw new FileRefused("is no regular file");
  return found;
}

/** The size that a file says is not believed: those of `/proc` say 0. */
async function readUpTo(handle: FileHandle, most: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for (let length = 0; ; ) {
    const { bytesRead, buffer } = await handle.read({ buffer: Buffer.allocUnsafe(CHUNK_BYTES) });
    if (bytesRead === 0) return Buffer.concat(chunks);
    length += bytesRead;
    if (length > most) throw tooLarge(most);
    chunks.push(buffer.subarray(0, bytesRead));
  }
}

function tooLarge(most: number): FileRefused {
  return new FileRefused(`has more than ${most.toLocaleString("en")} bytes`);
}
