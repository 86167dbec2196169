/** Default of `plugins.memoryLimit`, in MiB. */
export const defaultMemoryLimit = 128
