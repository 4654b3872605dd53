export const LARGEST_IPV4 = 2n ** 32n - 1n;
