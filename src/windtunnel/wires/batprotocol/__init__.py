"""batprotocol, the protocol of Batsim 5: its schema, binary and JSON codecs, translation and sessions.

::

    batprotocol.fbs ──idl, generate──▶ schema.py   one Struct per table
                                       _reader.py, _writer.py   on _reading.py and _writing.py
    binary.py   bytes ◀──▶ schema Structs          text.py   JSON text ◀──▶ schema Structs
"""

__all__: list[str] = []
