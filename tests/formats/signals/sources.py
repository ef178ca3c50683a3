"""Small files of each source of signals, written by hand."""

import io

import polars as pl

PLAIN = "time,gCO2e/kWh\n0,100\n3600,200.5\n7200,300\n"
PRICES = "time;price [EUR/MWh];note\n2024-01-01T00:00Z;-5;a\n2024-01-01T01:00+00:00;90;b\n"
PORTAL = """\
Datetime (UTC),Country,Zone Name,Zone Id,Carbon Intensity gCO₂eq/kWh (direct),Carbon Intensity gCO₂eq/kWh (LCA),\
Low Carbon Percentage,Renewable Percentage,Data Source,Data Estimated,Data Estimation Method
2024-01-01 00:00:00,Xland,Xland,XX,50.5,80,10,20,x.example,false,
2024-01-01 01:00:00,Xland,Xland,XX,60.5,90,10,20,x.example,true,TIME_SLICER
2024-01-01 02:00:00,Xland,Xland,XX,70.5,100,10,20,x.example,false,
"""
NEW_PORTAL = """\
Datetime (UTC),Country,Zone name,Zone id,Carbon intensity gCO₂eq/kWh (direct),Carbon intensity gCO₂eq/kWh (Life cycle),\
Carbon-free energy percentage (CFE%),Renewable energy percentage (RE%),Data source,Data estimated,Data estimation method
2024-01-01 00:00:00,Xland,Xland,XX,50.5,80,10,20,x.example,false,
2024-01-01 01:00:00,Xland,Xland,XX,60.5,90,10,20,x.example,true,TIME_SLICER
2024-01-01 02:00:00,Xland,Xland,XX,70.5,100,10,20,x.example,false,
"""
HISTORY = """\
datetime,timestamp,zone_name,carbon_intensity_avg,carbon_intensity_discharge_avg
2024-01-01 00:00:00+00:00,1704067200,XX,80,1
2024-01-01 01:00:00+00:00,1704070800,XX,90,1
2024-01-01 02:00:00+00:00,1704074400,XX,100,1
"""
WATTTIME = """\
{"meta": {"region": "XX", "signal_type": "co2_moer", "units": "lbs_co2_per_mwh", "model": {"date": "2024-01-01"}},
 "data": [{"point_time": "2024-01-01T00:00:00+00:00", "value": 1000.0},
          {"point_time": "2024-01-01T00:05:00+00:00", "value": 500.0}]}
"""
WATTTIME_CSV = """\
point_time,value,region,signal_type,units
2024-01-01T00:00:00+00:00,1000,XX,co2_aoer,lbs_co2_per_mwh
2024-01-01T00:05:00+00:00,500,XX,co2_aoer,lbs_co2_per_mwh
"""
ENTSOE = """\
"MTU (CET/CEST)","Day-ahead Price [EUR/MWh]","Currency","BZN|XX"
"01.01.2024 00:00 - 01.01.2024 01:00","10.5","EUR",""
"01.01.2024 01:00 - 01.01.2024 02:00","-3","EUR",""
"01.01.2024 02:00 - 01.01.2024 03:00","20","EUR",""
"""
NEW_ENTSOE = """\
"MTU (UTC)","Area","Sequence","Day-ahead Price (GBP/MWh)","Intraday Period (UTC)","Intraday Price (GBP/MWh)"
"31/12/2023 23:00:00 - 31/12/2023 23:15:00","BZN|XX","Sequence Sequence 1","10.5","",""
"31/12/2023 23:15:00 - 31/12/2023 23:30:00","BZN|XX","Sequence Sequence 1","20","",""
"""

SUPPLY = b"""{"levels": [{"name": "node", "hosts": 1, "converter_watts": 10, "efficiency": 0.9},
 {"name": "switch", "count": 1, "device_watts": 50, "converters": 2}]}"""


def parquet(dates=(1704067200000, 1704070800000), values=(80.0, 90.0), **columns) -> bytes:
    buffer = io.BytesIO()
    pl.DataFrame({"timestamp": dates, "carbon_intensity": values, **columns}).write_parquet(buffer)
    return buffer.getvalue()


SOURCES = {
    "plain": ("carbon", PLAIN.encode()),
    "plain-prices": ("price", PRICES.encode()),
    "portal": ("carbon", PORTAL.encode()),
    "portal-2025": ("carbon", NEW_PORTAL.encode()),
    "history": ("carbon", HISTORY.encode()),
    "watttime": ("carbon", WATTTIME.encode()),
    "watttime-csv": ("carbon", WATTTIME_CSV.encode()),
    "entsoe": ("price", ENTSOE.encode()),
    "entsoe-2024": ("price", NEW_ENTSOE.encode()),
    "opendc": ("carbon", parquet()),
}
