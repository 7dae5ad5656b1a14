package io.hexr.sandbox.identity;

/** How the engine knows who calls. */
public enum AuthMode {
    /** It does not: everybody is anonymous. */
    NONE,
    /** From the header that a trusted gateway sets. */
    XFCC,
    /** From the caller's own X.509-SVID. */
    MTLS
}
